package tour

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// subscription is the one the tour works in; development mode knows them all.
const subscription = "00000000-0000-0000-0000-000000000042"

const containerAPI = "api-version=2026-07-01"

// containers shows a group of an init container and two containers from PUT to
// DELETE.
func (t *tour) containers(ctx context.Context) error {
	path := "/subscriptions/" + subscription + "/resourceGroups/tour/providers/Vendor.ContainerInstance/containerGroups/tour-" + t.mark
	requests := map[string]any{"requests": map[string]any{"cpu": 0.5, "memoryInGB": 0.25}}
	container := func(name string, props map[string]any) map[string]any {
		props["image"] = "ludgate/hello"
		if name != "prepare" {
			props["resources"] = requests
		}
		return map[string]any{"name": name, "properties": props}
	}
	env := []any{map[string]any{"name": "GREETING", "value": "hello from the tour"}}
	wish := map[string]any{
		"location": "local",
		"properties": map[string]any{
			"osType": "Linux", "restartPolicy": "Never",
			"initContainers": []any{container("prepare", map[string]any{"command": []any{"/hello", "print", "prepared"}})},
			"containers": []any{
				container("web", map[string]any{"ports": []any{map[string]any{"port": 8081}}, "command": []any{"/hello", "serve", "--port", "8081"}, "environmentVariables": env}),
				container("job", map[string]any{"command": []any{"/hello", "run", "print working && sleep 1 && print done"}}),
			},
			"ipAddress": map[string]any{"type": "Public", "ports": []any{map[string]any{"port": 8081, "protocol": "TCP"}}},
		},
	}
	a, err := t.call(ctx, http.MethodPut, path+"?"+containerAPI, wish, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusCreated, "PUT of a new group")
	if a.status != http.StatusCreated {
		return fmt.Errorf("the group was refused: %s", a.text("error.message"))
	}
	defer t.call(context.WithoutCancel(ctx), http.MethodDelete, path+"?"+containerAPI, nil, true) //nolint:errcheck // tidying up after a failed stop
	t.check("it starts as Pending", a.text("properties.provisioningState") == "Pending" && a.text("properties.instanceView.state") == "Pending", a.text("properties.provisioningState"))
	t.check("an operation can be polled", strings.HasPrefix(a.header.Get("Azure-AsyncOperation"), "http"), a.header.Get("Azure-AsyncOperation"))

	if err := t.watch(ctx, path, a.header.Get("Azure-AsyncOperation")); err != nil {
		return err
	}
	if a, err = t.call(ctx, http.MethodGet, path+"?"+containerAPI, nil, false); err != nil {
		return err
	}
	t.check("the group is Running", a.text("properties.instanceView.state") == "Running", a.text("properties.instanceView.state"))
	t.check("the init container ended with exit code 0 before",
		a.text("properties.initContainers.0.properties.instanceView.currentState.state") == "Terminated" &&
			a.at("properties.initContainers.0.properties.instanceView.currentState.exitCode") == 0.0,
		a.at("properties.initContainers.0.properties.instanceView.currentState"))
	if a.at("properties.instanceView.events") != nil && strings.Contains(string(a.raw), `"Simulated"`) {
		t.check("containers really run", false, "the server runs the simulated engine")
	}
	if err := t.page(ctx, a.text("properties.ipAddress.ip")); err != nil {
		return err
	}
	if err := t.log(ctx, path); err != nil {
		return err
	}
	if a, err = t.call(ctx, http.MethodDelete, path+"?"+containerAPI, nil, false); err != nil {
		return err
	}
	t.check("DELETE: 200 or 202", a.status == http.StatusOK || a.status == http.StatusAccepted, a.status)
	err = wait(ctx, 20*time.Second, func() (bool, error) {
		a, err = t.call(ctx, http.MethodGet, path+"?"+containerAPI, nil, true)
		return err == nil && a.status == http.StatusNotFound, err
	})
	t.check("the group is gone: 404", err == nil, err)
	return nil
}

// watch polls the group until its operation ends, and prints states and events
// as they come.
func (t *tour) watch(ctx context.Context, path, operation string) error {
	fmt.Fprintln(t.out, t.style(dim, "\nwatching the group …"))
	seen := map[string]bool{}
	show := func(where, text string) {
		if key := where + text; !seen[key] && text != "" {
			seen[key] = true
			fmt.Fprintf(t.out, "  %-9s %s\n", where, text)
		}
	}
	var op *answer
	err := wait(ctx, 60*time.Second, func() (bool, error) {
		group, err := t.call(ctx, http.MethodGet, path+"?"+containerAPI, nil, true)
		if err != nil {
			return false, err
		}
		show("group", group.text("properties.provisioningState")+" / "+group.text("properties.instanceView.state"))
		for _, list := range []string{"initContainers", "containers"} {
			items, _ := group.at("properties." + list).([]any)
			for i := range items {
				prefix := fmt.Sprintf("properties.%s.%d.", list, i)
				events, _ := group.at(prefix + "properties.instanceView.events").([]any)
				for j := range events {
					e := fmt.Sprintf("%sproperties.instanceView.events.%d.", prefix, j)
					show(group.text(prefix+"name"), group.text(e+"name")+": "+group.text(e+"message"))
				}
				show(group.text(prefix+"name"), group.text(prefix+"properties.instanceView.currentState.state"))
			}
		}
		if op, err = t.call(ctx, http.MethodGet, operation, nil, true); err != nil {
			return false, err
		}
		s := op.text("status")
		return s == "Succeeded" || s == "Failed" || op.status != http.StatusOK, nil
	})
	if err != nil {
		return err
	}
	t.check("the operation Succeeded", op.text("status") == "Succeeded", op.text("status")+" "+op.text("error.message"))
	return nil
}

// page fetches what the container serves at the group's address.
func (t *tour) page(ctx context.Context, ip string) error {
	var a *answer
	err := wait(ctx, 10*time.Second, func() (bool, error) {
		var err error
		a, err = t.call(ctx, http.MethodGet, "http://"+ip+":8081/env", nil, true)
		return err == nil && a.status == http.StatusOK, nil
	})
	if err != nil {
		t.check("the page of the container is served at "+ip, false, err)
		return nil
	}
	if a, err = t.call(ctx, http.MethodGet, "http://"+ip+":8081/", nil, false); err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "the page of the container is served at "+ip)
	if a, err = t.call(ctx, http.MethodGet, "http://"+ip+":8081/env", nil, false); err != nil {
		return err
	}
	t.check("the container sees its environment variable", strings.Contains(string(a.raw), "hello from the tour"), string(a.raw))
	return nil
}

// log reads the log of the second container.
func (t *tour) log(ctx context.Context, path string) error {
	var a *answer
	err := wait(ctx, 15*time.Second, func() (bool, error) {
		var err error
		a, err = t.call(ctx, http.MethodGet, path+"/containers/job/logs?"+containerAPI, nil, true)
		return err == nil && strings.Contains(a.text("content"), "done"), err
	})
	if err == nil {
		a, err = t.call(ctx, http.MethodGet, path+"/containers/job/logs?"+containerAPI+"&tail=5", nil, false)
	}
	if err != nil {
		t.check("the log of a container can be read", false, err)
		return nil
	}
	t.check("the log of a container can be read", a.text("content") == "working\ndone\n", a.text("content"))
	return nil
}
