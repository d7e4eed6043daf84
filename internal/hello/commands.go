package hello

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

// command runs one command of usage.
func (p *program) command(args []string) error {
	if len(args) == 0 {
		return usageError("no command given")
	}
	name, args := args[0], args[1:]
	switch name {
	case "serve":
		return p.serve(args)
	case "print":
		_, err := fmt.Fprintln(p.out, strings.Join(args, " "))
		return err
	case "sleep":
		d, err := seconds(name, args)
		if err != nil {
			return err
		}
		time.Sleep(d)
		return nil
	case "exit":
		code, err := number(name, "CODE", args, 255)
		if err != nil || code == 0 {
			return err
		}
		return exitError(code)
	case "write":
		if len(args) < 2 {
			return usageError("write needs PATH and TEXT")
		}
		return os.WriteFile(args[0], []byte(strings.Join(args[1:], " ")+"\n"), 0o644)
	case "cat":
		if len(args) != 1 {
			return usageError("cat needs one PATH")
		}
		return p.cat(args[0])
	case "fetch":
		if len(args) != 1 {
			return usageError("fetch needs one URL")
		}
		return p.fetch(args[0])
	case "burn":
		d, err := seconds(name, args)
		if err != nil {
			return err
		}
		return p.burn(d)
	case "alloc":
		mb, err := number(name, "MB", args, 1<<20)
		if err != nil {
			return err
		}
		return p.alloc(mb)
	case "run":
		if len(args) != 1 {
			return usageError("run needs one argument, such as 'print a && exit 3'")
		}
		return p.chain(args[0])
	case "help", "-h", "--help":
		_, err := io.WriteString(p.out, usage)
		return err
	default:
		return usageError(fmt.Sprintf("unknown command %q", name))
	}
}

// seconds reads the one argument of a command that takes a duration.
func seconds(name string, args []string) (time.Duration, error) {
	if len(args) != 1 {
		return 0, usageError(name + " needs one number of SECONDS")
	}
	s, err := strconv.ParseFloat(args[0], 64)
	if err != nil || !(s >= 0) {
		return 0, usageError(fmt.Sprintf("%s: %q is not a number of seconds", name, args[0]))
	}
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64, nil
	}
	return time.Duration(s * float64(time.Second)), nil
}

// number reads the one argument of a command that takes an integer in [0, max].
func number(name, what string, args []string, max int) (int, error) {
	if len(args) != 1 {
		return 0, usageError(name + " needs one " + what)
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 0 || n > max {
		return 0, usageError(fmt.Sprintf("%s: %q is not a %s from 0 to %d", name, args[0], what, max))
	}
	return n, nil
}

func (p *program) cat(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(p.out, f)
	return err
}

// client is what fetch asks with. The image has no certificates of authorities,
// so https works where the container brings them.
var client = http.Client{Timeout: 30 * time.Second}

func (p *program) fetch(url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(p.out, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode >= 400 {
		return fmt.Errorf("fetch %s: %s", url, resp.Status)
	}
	return nil
}

// burn keeps as many processors busy as the process may use, for d of wall
// time, and says how much processor time it got, which shows a limit at work.
func (p *program) burn(d time.Duration) error {
	end := time.Now().Add(d)
	before := processorTime()
	var busy sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for x := uint64(1); ; {
				for range 1 << 16 {
					x = x*6364136223846793005 + 1442695040888963407
				}
				if !time.Now().Before(end) {
					runtime.KeepAlive(x)
					return
				}
			}
		})
	}
	busy.Wait()
	_, err := fmt.Fprintf(p.out, "burned %.2f seconds of processor time in %.2f seconds\n",
		(processorTime() - before).Seconds(), d.Seconds())
	return err
}

// alloc fills mb mebibytes, one at a time so that a limit strikes where it is,
// says so and holds them until the process is ended.
func (p *program) alloc(mb int) error {
	held := make([][]byte, 0, mb)
	for range mb {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 1 << 10 {
			b[i] = 1 // every page, whatever its size
		}
		held = append(held, b)
	}
	if _, err := fmt.Fprintf(p.out, "holding %d MB\n", mb); err != nil {
		return err
	}
	for {
		time.Sleep(time.Hour)
		runtime.KeepAlive(held)
	}
}
