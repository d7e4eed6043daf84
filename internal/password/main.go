package password

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// idleAfter is how long the helper keeps its memory without work.
const idleAfter = 5 * time.Second

// IsInvoked reports whether this process was started as the helper.
func IsInvoked() bool {
	return len(os.Args) == 3 && strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == helperName
}

// Main is the helper: it computes the requests on standard input until that
// closes, and returns the exit code. args are the number of workers and the KiB
// of one hash.
func Main(args []string) int {
	// The server decides when hashing ends; a signal to the whole group, such as
	// Ctrl-C, must not take requests under way from it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	debug.SetTraceback("none") // a trace of this process could show a password
	workers, err1 := strconv.Atoi(args[0])
	memory, err2 := strconv.ParseInt(args[1], 10, 32)
	if err1 != nil || err2 != nil || workers < 1 {
		fmt.Fprintln(os.Stderr, helperName+": started with the wrong arguments; it is started by ludgate itself")
		return 2
	}
	// The hashes' memory is all there is: collect when one more than is in use
	// would be needed, which hands the same memory from hash to hash.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(int64(workers+1)*memory<<10 + 8<<20)
	if err := serve(os.Stdin, os.Stdout, workers); err != nil {
		fmt.Fprintln(os.Stderr, helperName+": "+err.Error())
		return 1
	}
	return 0
}

// serve computes requests from in, at most workers at a time, until in ends.
// Hashes under way then are dropped: nobody is left to read them.
func serve(in io.Reader, out io.Writer, workers int) error {
	src := bufio.NewReader(in)
	slots := make(chan struct{}, workers)
	idle := time.AfterFunc(idleAfter, debug.FreeOSMemory)
	defer idle.Stop()
	var mu sync.Mutex
	for {
		id, r, err := readRequest(src)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		idle.Reset(idleAfter)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			frame := appendReply(nil, id, r.compute())
			clear(r.password)
			mu.Lock()
			defer mu.Unlock()
			_, _ = out.Write(frame) // a server that is gone closes in as well
		}()
	}
}
