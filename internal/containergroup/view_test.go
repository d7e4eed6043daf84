package containergroup

import (
	"strings"
	"testing"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// TestGroupState is the table of what a group as a whole says of itself. A
// container is written as one letter: - not seen, W waiting for its first start,
// B waiting after a run, R running, 0 and 1 ended with that code.
func TestGroupState(t *testing.T) {
	const (
		always, onFailure, never = ludgate.RestartAlways, ludgate.RestartOnFailure, ludgate.RestartNever
	)
	for _, c := range []struct {
		policy           ludgate.RestartPolicy
		init, containers string
		want             ludgate.GroupState
	}{
		{always, "", "-", "Pending"},
		{always, "", "W", "Pending"},
		{always, "", "R", "Running"},
		{always, "", "RW", "Pending"},
		{always, "", "RB", "Running"},
		{always, "", "B", "Running"},
		{"", "", "B", "Running"},
		{always, "", "0", "Running"}, // about to be started again
		{always, "", "1", "Running"},
		{"", "", "01", "Running"},
		{onFailure, "", "1", "Running"},
		{onFailure, "", "01", "Running"},
		{onFailure, "", "0", "Succeeded"},
		{onFailure, "", "00", "Succeeded"},
		{never, "", "R1", "Running"},
		{never, "", "01", "Failed"},
		{never, "", "1", "Failed"},
		{never, "", "00", "Succeeded"},
		{never, "", "1W", "Pending"},
		{never, "-", "W", "Pending"},
		{never, "R", "W", "Pending"},
		{never, "0R", "W", "Pending"},
		{never, "0", "W", "Pending"},
		{never, "00", "R", "Running"},
		{never, "1", "W", "Failed"},
		{never, "01", "W", "Failed"},
		{always, "1", "W", "Pending"}, // tried again
		{onFailure, "B", "W", "Pending"},
		{never, "0", "0", "Succeeded"},
	} {
		p := &ContainerGroupProperties{GroupSettings: GroupSettings{RestartPolicy: c.policy}}
		st := &engine.Status{}
		for i := range len(c.init) {
			name := strings.Repeat("i", i+1)
			p.InitContainers = append(p.InitContainers, InitContainerDefinition{Name: name})
			st.Init = append(st.Init, letter(name, c.init[i])...)
		}
		for i := range len(c.containers) {
			name := strings.Repeat("c", i+1)
			p.Containers = append(p.Containers, Container{Name: name})
			st.Containers = append(st.Containers, letter(name, c.containers[i])...)
		}
		if got := groupState(p, st); got != c.want {
			t.Errorf("policy %q, init %q, containers %q: %s, want %s", c.policy, c.init, c.containers, got, c.want)
		}
	}
	if got := groupState(&ContainerGroupProperties{Containers: []Container{{Name: "c"}}}, nil); got != ludgate.GroupPending {
		t.Errorf("nothing observed: %s", got)
	}
}

// letter makes the status of one container.
func letter(name string, l byte) []engine.ContainerStatus {
	c := engine.ContainerStatus{Name: name}
	switch l {
	case '-':
		return nil
	case 'W':
		c.Current = &engine.State{State: ludgate.ContainerWaiting}
	case 'B':
		c.Current = &engine.State{State: ludgate.ContainerWaiting, DetailStatus: "CrashLoopBackOff: Back-off restarting failed"}
		c.Previous = &engine.State{State: ludgate.ContainerTerminated, ExitCode: 1}
	case 'R':
		c.Current = &engine.State{State: ludgate.ContainerRunning}
	default:
		c.Current = &engine.State{State: ludgate.ContainerTerminated, ExitCode: int(l - '0')}
	}
	return []engine.ContainerStatus{c}
}

func TestTimes(t *testing.T) {
	at := time.Date(2026, 5, 1, 18, 57, 5, 780_900_000, time.FixedZone("", 7200))
	if got := millis(at); got != "2026-05-01T16:57:05.78Z" {
		t.Errorf("millis: %s", got)
	}
	if got := moment(at); got != "2026-05-01T16:57:05Z" {
		t.Errorf("moment: %s", got)
	}
}
