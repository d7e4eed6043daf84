package shim

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/rootfs"
)

const (
	// drainTime is how long the log of an ended run may take to come to its
	// end. Its processes are gone, so there is only what the pipes still hold.
	drainTime = 2 * time.Second
	// runtimeTime bounds one start, and one tidying up, by an installed runtime.
	runtimeTime = 30 * time.Second
)

// seeOut waits for the run's end, records it, tells of it, and frees what the
// run held.
func (s *shim) seeOut(r *run) {
	state, err := r.process.Wait()
	exit := layout.Exit{At: time.Now().UTC()}
	var status syscall.WaitStatus
	if err == nil {
		status = state.Sys().(syscall.WaitStatus)
	}
	switch {
	case err != nil:
		exit.Code = 255
		exit.Err = "its end was not seen: " + err.Error()
	case status.Signaled():
		exit.Signal = int(status.Signal())
		exit.Code = 128 + exit.Signal
		if status.Signal() == syscall.SIGKILL && r.group != nil {
			n, err := r.group.OOMKills()
			if err != nil {
				s.log.Warn("cannot say whether memory ran out", "run", r.record.Run, "error", err)
			}
			exit.OOMKilled = n > 0
		}
	default:
		exit.Code = status.ExitStatus()
	}
	r.drain()

	s.mu.Lock()
	record := r.record
	s.mu.Unlock()
	record.Exit = &exit
	// First on disk, then told: what the server acts on must be known to its
	// successor too.
	if err := layout.Write(r.place.Record(), record, true); err != nil {
		s.log.Error("the end of a run is not on disk", "run", record.Run, "error", err)
	}
	s.mu.Lock()
	r.record = record
	s.tell(record)
	s.mu.Unlock()
	close(r.ended)

	s.free(r)
	close(r.freed)
}

// drain waits until the log has all that was printed.
func (r *run) drain() {
	done := make(chan struct{})
	go func() {
		r.copying.Wait()
		close(done)
	}()
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		// Somebody outside the container has the other end. It is not to hold
		// us up.
		for _, pipe := range r.pipes {
			pipe.Close()
		}
		<-done
	}
}

// free gives back all that a run without processes holds, except its directory.
func (s *shim) free(r *run) {
	for _, pipe := range r.pipes {
		if pipe != nil {
			pipe.Close()
		}
	}
	r.copying.Wait()
	if r.log != nil {
		if err := r.log.Close(); err != nil {
			s.log.Warn("lines of a log are lost", "run", r.record.Run, "error", err)
		}
	}
	var faults []error
	if r.runtime != nil {
		ctx, cancel := context.WithTimeout(context.Background(), runtimeTime)
		faults = append(faults, r.runtime.Delete(ctx, r.record.Run))
		cancel()
	}
	if r.group != nil {
		faults = append(faults, r.group.Destroy())
	}
	faults = append(faults, rootfs.Unmount(r.place))
	if err := errors.Join(faults...); err != nil {
		s.log.Error("something of a run is left", "run", r.record.Run, "error", err)
	}
}

// find gives a run; nil when it is unknown.
func (s *shim) find(name string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[name]
}

// kill ends a run: it asks, waits for grace, and then does not ask any more. It
// returns when the run has ended.
func (s *shim) kill(name string, grace time.Duration) {
	r := s.find(name)
	if r == nil {
		return
	}
	<-r.begun
	select {
	case <-r.ended:
		return
	default:
	}
	if grace > 0 {
		ask := syscall.SIGTERM
		if r.request.StopSignal > 0 {
			ask = syscall.Signal(r.request.StopSignal)
		}
		if r.ask(ask, grace) {
			return
		}
	}
	_ = r.process.Kill()
	<-r.ended
}

// ask sends a signal, once the program can hear it, and reports whether the run
// ended within grace.
func (r *run) ask(sig syscall.Signal, grace time.Duration) bool {
	end := time.NewTimer(grace)
	defer end.Stop()
	pause := time.Millisecond
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-r.ended:
			return true
		case <-end.C:
			return false
		case <-again.C:
			if hears(r.process, sig) {
				_ = r.process.Signal(sig) // an error means that it has ended
				continue                  // once is enough
			}
			again.Reset(pause)
			pause = min(2*pause, 100*time.Millisecond)
		}
	}
}

// discard forgets an ended run. A run that has not ended is ended.
func (s *shim) discard(name string) error {
	r := s.find(name)
	if r == nil {
		return nil
	}
	s.kill(name, 0)
	<-r.freed
	if err := os.RemoveAll(r.place.Dir); err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.runs, name)
	s.mu.Unlock()
	return nil
}

// shutdown ends and discards all runs, and lets no more begin.
func (s *shim) shutdown() error {
	s.mu.Lock()
	s.closing = true
	names := make([]string, 0, len(s.runs))
	for name := range s.runs {
		names = append(names, name)
	}
	s.mu.Unlock()
	faults := make(chan error, len(names))
	for _, name := range names {
		go func() { faults <- s.discard(name) }()
	}
	var all error
	for range names {
		all = errors.Join(all, <-faults)
	}
	return all
}
