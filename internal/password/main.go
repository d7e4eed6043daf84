package password

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// idleAfter is how long the helper keeps its memory without work.
const idleAfter = 5 * time.Second

// IsInvoked reports whether this process was started as the helper.
func IsInvoked() bool {
	return len(os.Args) == 2 && strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == helperName
}

// Main is the helper: it computes the requests on standard input until that
// closes, and returns the exit code. args is the number of workers.
func Main(args []string) int {
	// The server decides when hashing ends; a signal to the whole group, such as
	// Ctrl-C, must not take requests under way from it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	debug.SetTraceback("none") // a trace of this process could show a password
	workers, err := strconv.Atoi(args[0])
	if err != nil || workers < 1 {
		fmt.Fprintln(os.Stderr, helperName+": started with the wrong arguments; it is started by ludgate itself")
		return 2
	}
	debug.SetGCPercent(-1) // serve collects
	if err := serve(os.Stdin, os.Stdout, workers); err != nil {
		fmt.Fprintln(os.Stderr, helperName+": "+err.Error())
		return 1
	}
	return 0
}

// serve computes requests from in, workers at a time, until in ends. Hashes
// under way then are dropped: nobody is left to read them.
func serve(in io.Reader, out io.Writer, workers int) error {
	src := bufio.NewReader(in)
	idle := time.AfterFunc(idleAfter, debug.FreeOSMemory)
	defer idle.Stop()
	type job struct {
		id uint32
		request
	}
	// What waits here lets a worker go on at once, without a trip to the server.
	jobs := make(chan job, workers)
	defer close(jobs)
	var mu sync.Mutex
	var done atomic.Int64
	for range workers {
		go func() {
			for j := range jobs {
				frame := appendReply(nil, j.id, j.compute())
				clear(j.password)
				mu.Lock()
				_, _ = out.Write(frame) // a server that is gone closes in as well
				mu.Unlock()
				// Left to itself the runtime gives pages back that the next hash asks
				// for again, a tenth of the work. Collecting when half the workers
				// are through hands the memory of their hashes to the next ones.
				if done.Add(1)%int64(max(workers/2, 1)) == 0 {
					runtime.GC()
				}
			}
		}()
	}
	for {
		id, r, err := readRequest(src)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		idle.Reset(idleAfter)
		jobs <- job{id, r}
	}
}
