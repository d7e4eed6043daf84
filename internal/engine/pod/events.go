package pod

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"ludgate"
	"ludgate/internal/engine"
)

// maxEvents is how many distinct events one container, and the group itself,
// keeps; the one not seen for longest makes room.
const maxEvents = 32

// eventLog is a bounded list of distinct events, in order of first appearance.
type eventLog []engine.Event

// add records an event; a repeat bumps its count and its last time.
func (l *eventLog) add(now time.Time, typ ludgate.EventType, name, message string) {
	for i := range *l {
		if e := &(*l)[i]; e.Name == name && e.Message == message && e.Type == typ {
			e.Count++
			e.Last = now
			return
		}
	}
	if len(*l) >= maxEvents {
		oldest := 0
		for i, e := range *l {
			if e.Last.Before((*l)[oldest].Last) {
				oldest = i
			}
		}
		*l = append((*l)[:oldest], (*l)[oldest+1:]...)
	}
	*l = append(*l, engine.Event{Name: name, Message: message, Type: typ, Count: 1, First: now, Last: now})
}

func (l *eventLog) normal(now time.Time, name, message string) {
	l.add(now, ludgate.EventNormal, name, message)
}

func (l *eventLog) warning(now time.Time, name, message string) {
	l.add(now, ludgate.EventWarning, name, message)
}

// reason puts a runtime's failure into words that may leave the machine: the
// runtime's own words where it says that the wish is at fault, else the bare
// cause without paths. The whole error belongs into the log.
func reason(err error) string {
	var start *StartError
	if errors.As(err, &start) {
		return start.Error()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the engine did not answer in time"
	case errors.Is(err, context.Canceled):
		return "it was called off"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err.Error()
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		return call.Err.Error()
	}
	return "a fault of the engine; the server's log has the details"
}

// memory writes an amount of memory as people read it.
func memory(bytes int64) string {
	switch {
	case bytes >= 1<<30 && bytes%(1<<20) == 0:
		return fmt.Sprintf("%.4g GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(bytes)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
