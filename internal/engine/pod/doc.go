// Package pod turns a container-level runtime into a whole engine.
//
// [Runtime] runs one container at a time; [Supervisor] makes an [engine.Engine]
// of it: init containers in order, restart policy with exponential back-off,
// replacement of what changed and nothing else, events, persistence of what an
// operator wants to know after a crash, and adoption of what still runs.
//
// The supervisor is level-triggered. Whatever happens to a group (a new wish, an
// exit, a finished pull, a timer) only changes facts under the group's lock; one
// goroutine per group, alive only while there is work, then asks group.next
// what the single next step is. README.md beside this file walks through the
// state machine in numbered steps.
//
// Where to look: supervisor.go (the engine.Engine methods), group.go (what is
// known of a group), wish.go (what a new wish changes), next.go (what to do
// now), act.go (doing it), exit.go (runs that end), remove.go, status.go and
// events.go (what is told), state.go, keeper.go and adopt.go (what survives).
package pod
