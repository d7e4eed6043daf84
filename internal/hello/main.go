package hello

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
)

// Path is where the program lies in its image.
const Path = "/hello"

const usage = `usage: /hello COMMAND
  serve [--port N]     answer HTTP (port 80, or $PORT): / greets, /env, /file?path=P and
                       /fetch?url=U show what the container sees, /health answers 200
                       until POST /health?status=N switches it
  print TEXT...        print the words
  sleep SECONDS        wait
  exit CODE            end with this code
  write PATH TEXT      write a line to a file
  cat PATH             print a file
  fetch URL            print a web page
  burn SECONDS         keep every processor busy
  alloc MB             use this much memory and hold it
  run 'CMD && CMD'     run commands one after the other until one fails
`

// IsInvoked reports whether this process was started as the image's program:
// its name is "hello", and either it was called by [Path] or the file that runs
// is at that path. A ludgate binary that somebody renamed to hello is neither.
func IsInvoked() bool {
	if len(os.Args) == 0 || filepath.Base(os.Args[0]) != filepath.Base(Path) {
		return false
	}
	if os.Args[0] == Path {
		return true
	}
	exe, err := os.Executable()
	return err == nil && exe == Path
}

// Main runs the program with args (without the program's name) on the process's
// own standard streams and gives the exit code: 0, the code asked for by exit, 1
// when a command failed, 2 for a wrong call, 128+n after signal n. It takes over
// SIGTERM and SIGINT for the rest of the process's life.
func Main(args []string) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	p := &program{out: os.Stdout, err: os.Stderr}
	done := make(chan int, 1)
	go func() { done <- p.run(args) }()
	for {
		select {
		case code := <-done:
			return code
		case s := <-signals:
			if stop := p.stop.Load(); stop != nil {
				p.stopped.Store(true)
				(*stop)() // a server ends by itself, with its own code
				continue
			}
			return 128 + int(s.(syscall.Signal))
		}
	}
}

// program is one run of hello.
type program struct {
	out, err io.Writer
	// stop is set while a command runs that ends in an orderly way when
	// signalled; all others are simply left.
	stop atomic.Pointer[func()]
	// stopped is set once such a command was told to end: a chain ends with it.
	stopped atomic.Bool
}

// exitError ends the program, or a chain of commands, with a code.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a command called wrongly.
type usageError string

func (e usageError) Error() string { return string(e) }

// run executes one command and turns its failure into a message and a code.
func (p *program) run(args []string) int {
	err := p.command(args)
	var exit exitError
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &wrong):
		fmt.Fprintf(p.err, "hello: %s\n%s", wrong, usage)
		return 2
	default:
		fmt.Fprintf(p.err, "hello: %v\n", err)
		return 1
	}
}
