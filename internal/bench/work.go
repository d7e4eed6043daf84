package bench

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	subscription = "/subscriptions/00000000-0000-0000-0000-00000000beef"
	containerAPI = "?api-version=2026-07-01"
	nameAPI      = "?api-version=2025-01-01"
	knownPlayers = 1000 // players that sign in again and again
	// registerPause is how long a client waits that was refused for want of time.
	registerPause = 100 * time.Millisecond
)

// work makes the workloads of one server.
type work struct {
	host  string
	title string
	mark  string   // makes this run's names its own
	known []player // who exist
	group string   // id of a directory group that exists
	// mint makes a token of a user of the streaming platform.
	mint   func(c *conn, user string) (string, error)
	data   string // the server's data directory; "" when it is not known
	pid    int    // of the server; 0 when it is not known
	secret string // a secret key of the title, once prepareGame made one
}

// prepare makes the players and the group that the reading workloads use.
func (k *work) prepare(ctx context.Context) error {
	c, err := dial(ctx, k.host)
	if err != nil {
		return err
	}
	defer c.c.Close()
	k.known = make([]player, knownPlayers)
	err = k.each(ctx, knownPlayers, func(c *conn, i int) error {
		body, err := k.signInBody(c, "7"+strconv.Itoa(i)+digits(k.mark))
		if err != nil {
			return err
		}
		var reply struct{ SessionTicket, PlatformId string }
		err = c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", body}, &reply, 200)
		k.known[i] = player{reply.PlatformId, body, reply.SessionTicket}
		return err
	})
	if err != nil {
		return err
	}
	var g struct {
		ID string `json:"id"`
	}
	if err := c.json(request{"PATCH", k.groupKey("read"), "Prefer: create-if-missing", k.groupBody("read", "one")}, &g, 201); err != nil {
		return err
	}
	k.group = g.ID
	return nil
}

// signInBody mints a token for a user of the streaming platform and gives the
// body of a sign-in with it.
func (k *work) signInBody(c *conn, user string) (string, error) {
	token, err := k.mint(c, user)
	return `{"TitleId":"` + k.title + `","AccessToken":"` + token + `","CreateAccount":true}`, err
}

func (k *work) groupKey(name string) string {
	return "/v1.0/groups(uniqueName='bench-" + k.mark + "-" + name + "')"
}

func (k *work) groupBody(name, description string) string {
	return `{"displayName":"Bench ` + name + `","mailEnabled":false,"securityEnabled":true,"mailNickname":"bench-` + k.mark + `-` + name +
		`","description":"` + description + `"}`
}

// empty is the floor: a call through the whole edge that does nothing.
func (k *work) empty(c *conn, _, _ int) error {
	return c.json(request{"POST", "/dev/empty", "", `{}`}, nil, 200)
}

func (k *work) signInKnown(c *conn, w, i int) error {
	return c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", k.someone(w, i).body}, nil, 200)
}

// signInNew mints before it measures: tokens holds a queue of bodies per worker.
func (k *work) signInNew(tokens [][]string) operation {
	return func(c *conn, w, i int) error {
		if i >= len(tokens[w]) {
			return errNoMore
		}
		return c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", tokens[w][i]}, nil, 200)
	}
}

// register makes an account with a password. A server that has too many passwords
// to hash refuses with 503; the time until it takes this one counts.
func (k *work) register(c *conn, w, i int) error {
	name := fmt.Sprintf("%s%dx%d", k.mark[:4], w, i)
	q := request{"POST", "/Client/RegisterPlatformUser", "", `{"TitleId":"` + k.title + `","Username":"` + name +
		`","Email":"` + name + `@example.com","Password":"correct horse"}`}
	for end := time.Now().Add(requestTimeout); ; time.Sleep(registerPause) {
		status, _, body, err := c.do(q)
		switch {
		case err != nil:
			return err
		case status == http.StatusOK:
			return nil
		case status != http.StatusServiceUnavailable || time.Now().After(end):
			return fmt.Errorf("%s answered %d: %s", q.path, status, body)
		}
	}
}

func (k *work) ticketCheck(c *conn, w, i int) error {
	return c.json(request{"POST", "/Authentication/GetEntityToken", "X-Authorization: " + k.someone(w, i).ticket, `{}`}, nil, 200)
}

func (k *work) groupRead(c *conn, _, _ int) error {
	return c.json(request{"GET", "/groups/" + k.group, "", ""}, nil, 200)
}

func (k *work) groupUpsert(c *conn, w, i int) error {
	name := "w" + strconv.Itoa(w) + "-" + strconv.Itoa(i%20)
	return c.json(request{"PATCH", k.groupKey(name), "Prefer: create-if-missing", k.groupBody(name, strconv.Itoa(i))}, nil, 201, 204)
}

func (k *work) nameCheck(c *conn, w, i int) error {
	return c.json(request{"POST", subscription + "/providers/Vendor.Sql/checkNameAvailability" + nameAPI, "",
		`{"name":"bench-` + strconv.Itoa(w) + `-` + strconv.Itoa(i) + `","type":"Vendor.Sql/servers"}`}, nil, 200)
}

// containerPath is the path of a group of this run.
func (k *work) containerPath(w, i int) string {
	return fmt.Sprintf("%s/resourceGroups/bench/providers/Vendor.ContainerInstance/containerGroups/b%s-%d-%d%s", subscription, k.mark, w, i, containerAPI)
}

const oneContainer = `{"location":"local","properties":{"osType":"Linux","restartPolicy":"Never","containers":[{"name":"main","properties":{"image":"ludgate/hello","command":["/hello","sleep","300"],"resources":{"requests":{"cpu":0.1,"memoryInGB":0.1}}}}]}}`

// put creates a group and does not wait for it.
func (k *work) put(c *conn, w, i int) error {
	return c.json(request{"PUT", k.containerPath(w, i), "", oneContainer}, nil, 201)
}

// putToRunning creates a group, polls it until it runs, and removes it outside
// of the time measured by the caller.
func (k *work) putToRunning(c *conn, w, i int) (time.Duration, error) {
	path := k.containerPath(w, i)
	start := time.Now()
	if err := k.put(c, w, i); err != nil {
		return 0, err
	}
	took, err := func() (time.Duration, error) {
		for time.Since(start) < requestTimeout {
			var g struct {
				Properties struct {
					ProvisioningState string
					InstanceView      struct{ State string }
				}
			}
			if err := c.json(request{"GET", path, "", ""}, &g, 200); err != nil {
				return 0, err
			}
			switch {
			case g.Properties.InstanceView.State == "Running":
				return time.Since(start), nil
			case g.Properties.ProvisioningState == "Failed":
				return 0, fmt.Errorf("the group failed")
			}
			time.Sleep(500 * time.Microsecond)
		}
		return 0, fmt.Errorf("the group did not run within %s", requestTimeout)
	}()
	if derr := k.remove(c, path); err == nil {
		err = derr
	}
	return took, err
}

// remove deletes a group and waits until it is gone.
func (k *work) remove(c *conn, path string) error {
	if err := c.json(request{"DELETE", path, "", ""}, nil, 200, 202, 204); err != nil {
		return err
	}
	for end := time.Now().Add(requestTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		status, _, _, err := c.do(request{"GET", path, "", ""})
		if err != nil || status == 404 {
			return err
		}
	}
	return fmt.Errorf("%s is still there after %s", path, requestTimeout)
}

// digits turns a hexadecimal mark into digits.
func digits(mark string) string {
	n, err := strconv.ParseUint(mark, 16, 64)
	if err != nil {
		return "0"
	}
	return strconv.FormatUint(n, 10)
}
