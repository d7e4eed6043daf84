package password

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// helperName is the program name under which the binary is the helper.
const helperName = "ludgate-password"

// available says that this binary turns into the helper when it is started
// under helperName; password/entry sets it. Without it, starting the binary
// again would run whatever it does otherwise.
var available bool

// Offer declares that this binary can be the helper. Only password/entry calls
// it, before main.
func Offer() { available = true }

const (
	stuckAfter = 30 * time.Second // a hash this old means that the helper hangs
	shortLife  = time.Second      // a helper that dies younger is not started at once again
	restAfter  = 10 * time.Second // for how long
)

// supervisor keeps at most one helper running and computes without one where
// there is none.
type supervisor struct {
	workers int
	off     bool
	log     *slog.Logger
	own     chan struct{} // has room for as many hashes as this process computes at once

	mu      sync.Mutex
	proc    *process
	started time.Time
	rest    time.Time // no helper before this
}

// compute gives the key of r: from the helper, from a second one if the first
// died under it, or else from this process.
func (s *supervisor) compute(r request) []byte {
	for range 2 {
		p := s.process()
		if p == nil {
			break
		}
		key, err := p.do(r)
		if err == nil {
			return key
		}
		s.lost(p, err)
	}
	s.own <- struct{}{}
	defer func() { <-s.own }()
	return r.compute()
}

// process gives the running helper, starting one if need be; nil where there
// can be none now.
func (s *supervisor) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return nil
	}
	if s.proc != nil {
		return s.proc
	}
	now := time.Now()
	if now.Before(s.rest) {
		return nil
	}
	p, err := startProcess(s.workers)
	if err != nil {
		s.rest = now.Add(restAfter)
		s.log.Warn("the password helper cannot be started; passwords are hashed in the server itself, which slows other calls", "error", err)
		return nil
	}
	s.proc, s.started = p, now
	return p
}

// lost forgets a helper that failed.
func (s *supervisor) lost(p *process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != p {
		return // another worker was first
	}
	s.proc = nil
	if now := time.Now(); now.Sub(s.started) < shortLife {
		s.rest = now.Add(restAfter)
	}
	s.log.Warn("the password helper ended unexpectedly and will be started again", "error", err)
	go p.end()
}

// close ends the helper for good.
func (s *supervisor) close() {
	s.mu.Lock()
	p := s.proc
	s.proc, s.off = nil, true
	s.mu.Unlock()
	if p != nil {
		p.end()
	}
}

// process is a running helper as the server sees it.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	gone chan struct{} // closed when no reply will come any more

	mu      sync.Mutex // guards what follows, and writing to in
	next    uint32
	pending map[uint32]chan []byte
	why     error // why gone is closed
	buf     []byte
}

// startProcess starts a helper at the lowest priority.
func startProcess(workers int) (*process, error) {
	path, err := executable()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path,
		Args: []string{helperName, strconv.Itoa(workers)},
		// The server's own environment may hold secrets.
		Env:    []string{"GOMAXPROCS=" + strconv.Itoa(workers)},
		Stderr: os.Stderr,
	}
	p := &process{cmd: cmd, gone: make(chan struct{}), pending: map[uint32]chan []byte{}}
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := startNiced(cmd); err != nil {
		return nil, err
	}
	go p.read()
	return p, nil
}

// executable is the path of the running binary, also after the file was
// replaced where the system can tell.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// do has the helper compute r.
func (p *process) do(r request) ([]byte, error) {
	reply := make(chan []byte, 1)
	p.mu.Lock()
	if p.why != nil {
		p.mu.Unlock()
		return nil, p.why
	}
	id := p.next
	p.next++
	p.pending[id] = reply
	p.buf = appendRequest(p.buf[:0], id, r)
	_, err := p.in.Write(p.buf)
	clear(p.buf)
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	select {
	case key := <-reply:
		return key, nil
	case <-p.gone:
		select {
		case key := <-reply: // it came just before
			return key, nil
		default:
			return nil, p.why
		}
	case <-stuck.C:
		_ = p.cmd.Process.Kill()
		return nil, fmt.Errorf("no reply within %s", stuckAfter)
	}
}

// read hands replies to whom they belong until the helper's pipe ends.
func (p *process) read() {
	src := bufio.NewReader(p.out)
	for {
		id, key, err := readReply(src)
		p.mu.Lock()
		if err != nil {
			p.why = fmt.Errorf("helper's pipe: %w", err)
			close(p.gone)
			p.mu.Unlock()
			return
		}
		if reply := p.pending[id]; reply != nil {
			delete(p.pending, id)
			reply <- key
		}
		p.mu.Unlock()
	}
}

// end closes the helper's pipe, which ends it, and waits; one that does not end
// is killed.
func (p *process) end() {
	_ = p.in.Close()
	kill := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	<-p.gone
	_ = p.cmd.Wait() // killed or not, there is nothing to do about it
	kill.Stop()
}
