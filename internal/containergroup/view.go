package containergroup

import (
	"context"
	"slices"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// observe says what is known of a group now: what the engine sees, live, or what
// was last written when it knows nothing of the group or there is none.
func (s *Service) observe(ctx context.Context, g *row) (st *engine.Status, live bool) {
	if s.opt.Engine != nil {
		if st, err := s.opt.Engine.Observe(ctx, g.key); err == nil {
			return st, true
		}
	}
	return g.status(), false
}

// reply gives a group with its instance views.
func (s *Service) reply(ctx context.Context, g *row, namespace string) *ContainerGroupReply {
	st, live := s.observe(ctx, g)
	out := s.replyPlain(g, namespace, st, live)
	p := g.Group.Properties
	for i := range out.Properties.Containers {
		c := &out.Properties.Containers[i]
		c.Properties.InstanceView = containerView(statusOf(c.Name, st, false), g.Since)
	}
	for i := range out.Properties.InitContainers {
		c := &out.Properties.InitContainers[i]
		c.Properties.InstanceView = containerView(statusOf(c.Name, st, true), g.Since)
	}
	out.Properties.InstanceView = &InstanceView{Events: s.groupEvents(g, st), State: groupState(p, st)}
	return out
}

// replyCreated gives a group that nobody has looked at yet.
func (s *Service) replyCreated(g *row, namespace string) *ContainerGroupReply {
	out := s.replyPlain(g, namespace, nil, false)
	out.Properties.InstanceView = &InstanceView{Events: s.groupEvents(g, nil), State: ludgate.GroupPending}
	return out
}

// replyPlain gives a group without instance views, as in lists.
func (s *Service) replyPlain(g *row, namespace string, st *engine.Status, live bool) *ContainerGroupReply {
	p := g.Group.Properties
	out := &ContainerGroupReply{
		ID: g.ID.path(namespace), Name: g.ID.Name, Type: namespace + "/containerGroups",
		Location: g.Group.Location, Tags: g.Group.Tags, Zones: g.Group.Zones,
		SystemData: SystemData{
			CreatedAt: moment(g.Created.At), CreatedBy: g.Created.By, CreatedByType: g.Created.Type,
			LastModifiedAt: moment(g.Modified.At), LastModifiedBy: g.Modified.By, LastModifiedByType: g.Modified.Type,
		},
		Properties: ContainerGroupReplyProperties{ProvisioningState: g.provisioning(st, live), GroupSettings: p.GroupSettings},
	}
	for _, c := range p.Containers {
		out.Properties.Containers = append(out.Properties.Containers, ContainerReply{Name: c.Name, Properties: ContainerReplyProperties{ContainerProperties: *c.Properties}})
	}
	for _, c := range p.InitContainers {
		out.Properties.InitContainers = append(out.Properties.InitContainers, InitContainerReply{Name: c.Name, Properties: InitContainerReplyProperties{InitContainerProperties: *c.Properties}})
	}
	if p.IPAddress != nil {
		a := &IPAddressReply{IPAddress: *p.IPAddress, FQDN: g.DNS.fqdn(s.opt.DNSSuffix)}
		// The address is told once something may listen there.
		if st != nil || g.state.Terminal() {
			a.IP = addressText(g.address)
		}
		out.Properties.IPAddress = a
	}
	return out
}

// provisioning is the state of the newest operation: Creating begins when the
// engine has taken the wish up.
func (g *row) provisioning(st *engine.Status, live bool) ludgate.ProvisioningState {
	if g.state == ludgate.ProvisioningPending && live && st.Generation == g.generation {
		return ludgate.ProvisioningCreating
	}
	return g.state
}

// statusOf finds what was observed of a container, nil when it was not seen.
func statusOf(name string, st *engine.Status, isInit bool) *engine.ContainerStatus {
	if st == nil {
		return nil
	}
	list := st.Containers
	if isInit {
		list = st.Init
	}
	i := slices.IndexFunc(list, func(c engine.ContainerStatus) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// containerView gives the instance view of a container; one that was not seen
// yet waits since the operation began.
func containerView(c *engine.ContainerStatus, since time.Time) *ContainerInstanceView {
	waiting := &ContainerState{State: ludgate.ContainerWaiting, StartTime: millis(since)}
	if c == nil {
		return &ContainerInstanceView{CurrentState: waiting, Events: []Event{}}
	}
	v := &ContainerInstanceView{RestartCount: c.RestartCount, CurrentState: waiting, Events: events(c.Events)}
	if c.Current != nil {
		v.CurrentState = runState(c.Current, since)
	}
	if c.Previous != nil {
		v.PreviousState = runState(c.Previous, since)
	}
	return v
}

func runState(r *engine.State, since time.Time) *ContainerState {
	start := r.StartTime
	if start.IsZero() {
		start = since
	}
	out := &ContainerState{State: r.State, StartTime: millis(start), DetailStatus: r.DetailStatus}
	if r.State == ludgate.ContainerTerminated {
		code := r.ExitCode
		out.ExitCode = &code
		if !r.FinishTime.IsZero() {
			out.FinishTime = millis(r.FinishTime)
		}
	}
	return out
}

// groupState is the state of a group as a whole. The first rule that holds
// counts.
func groupState(p *ContainerGroupProperties, st *engine.Status) ludgate.GroupState {
	for _, c := range p.InitContainers {
		state := current(statusOf(c.Name, st, true))
		switch {
		case state == nil || state.State != ludgate.ContainerTerminated:
			return ludgate.GroupPending
		case state.ExitCode != 0 && p.RestartPolicy == ludgate.RestartNever:
			return ludgate.GroupFailed
		case state.ExitCode != 0:
			return ludgate.GroupPending // it will be tried again
		}
	}
	running, failed := false, false
	for _, c := range p.Containers {
		seen := statusOf(c.Name, st, false)
		state := current(seen)
		switch {
		case state == nil:
			return ludgate.GroupPending
		case state.State == ludgate.ContainerWaiting:
			if seen.Previous == nil {
				return ludgate.GroupPending
			}
			running = true // between two runs
		case state.State == ludgate.ContainerRunning, restarts(p.RestartPolicy, state.ExitCode):
			running = true
		case state.ExitCode != 0:
			failed = true
		}
	}
	switch {
	case running:
		return ludgate.GroupRunning
	case failed:
		return ludgate.GroupFailed
	}
	return ludgate.GroupSucceeded
}

func current(c *engine.ContainerStatus) *engine.State {
	if c == nil {
		return nil
	}
	return c.Current
}

// restarts reports whether a container that ended so is started again.
func restarts(policy ludgate.RestartPolicy, exit int) bool {
	return policy != ludgate.RestartNever && (policy != ludgate.RestartOnFailure || exit != 0)
}

// groupEvents gives the engine's events of the group and what the service has to
// say besides: that nothing really runs, what has no effect here, why the
// operation failed, and that what is shown is old.
func (s *Service) groupEvents(g *row, st *engine.Status) []Event {
	out := []Event{}
	note := func(at time.Time, name, message string) {
		out = append(out, Event{Count: 1, FirstTimestamp: moment(at), LastTimestamp: moment(at), Name: name, Message: message, Type: ludgate.EventWarning})
	}
	if st != nil && st.Simulated || s.opt.Engine != nil && s.opt.Engine.Name() == "simulated" {
		note(g.Created.At, "Simulated", "Nothing runs here: the simulated engine makes up the states, exit codes and logs of this container group.")
	}
	if len(g.Group.Zones) > 0 {
		note(g.Created.At, "NotEnforced", "The property 'zones' has no effect: this server has one zone.")
	}
	if st != nil {
		out = append(out, events(st.Events)...)
	}
	if f := g.fault; f != nil {
		if !slices.ContainsFunc(out, func(e Event) bool { return e.Message == f.Message }) {
			note(f.At, f.Code, f.Message)
		}
	}
	if s.opt.Engine == nil {
		message := "No container engine can work on this server now."
		if st != nil {
			message += " What is shown was observed last at " + moment(g.observedAt) + "."
		}
		note(s.opt.Clock(), "ContainerEngineUnavailable", message)
	}
	return out
}

// containerEvents gives the events of all containers in the order of their last
// appearance.
func containerEvents(st *engine.Status) []Event {
	out := []Event{}
	if st == nil {
		return out
	}
	var all []engine.Event
	for _, c := range slices.Concat(st.Init, st.Containers) {
		all = append(all, c.Events...)
	}
	slices.SortStableFunc(all, func(a, b engine.Event) int { return a.Last.Compare(b.Last) })
	return append(out, events(all)...)
}

func events(in []engine.Event) []Event {
	out := make([]Event, 0, len(in))
	for _, e := range in {
		out = append(out, Event{
			Count: e.Count, FirstTimestamp: moment(e.First), LastTimestamp: moment(e.Last),
			Name: e.Name, Message: e.Message, Type: e.Type,
		})
	}
	return out
}

// moment writes a time to the second, millis to the millisecond.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func millis(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z") }
