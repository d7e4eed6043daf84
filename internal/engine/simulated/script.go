package simulated

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ludgate/internal/engine"
	"ludgate/internal/engine/pod"
)

// script is what a command amounts to.
type script struct {
	lines []line
	ends  bool // else it runs until it is ended
	lasts time.Duration
	exit  pod.Exit
	tidy  bool // heeds SIGTERM with exit code 0, as a server does
}

type line struct {
	after time.Duration
	text  string
}

// Limits on what a command can make this process keep.
const (
	maxSteps = 1000
	maxSleep = 365 * 24 * time.Hour
	maxLasts = 100 * maxSleep
)

// read turns a container's command into a script. The error is the reason why
// the container cannot be started.
func read(c *engine.Container) (script, error) {
	s := script{ends: true}
	words := c.Command
	if len(words) == 1 {
		// One string with blanks is a whole command line: "exit 3".
		if split, err := split(words[0]); err == nil {
			words = split
		}
	}
	limit := c.MemoryLimit
	if limit == 0 {
		limit = c.MemoryRequest
	}
	r := reader{script: &s, limit: limit}
	if err := r.command(words, 0); err != nil {
		return script{}, err
	}
	return s, nil
}

type reader struct {
	*script
	limit int64 // of memory, 0 = none
	steps int
}

var errTooLong = errors.New("simulated: the command has too many steps")

// command does one command; exit.Code is its outcome. A command that runs on
// clears ends, and nothing follows it.
func (r *reader) command(words []string, depth int) error {
	if r.steps++; r.steps > maxSteps || depth > 8 {
		return errTooLong
	}
	r.exit = pod.Exit{}
	if len(words) > 0 && (words[0] == "/hello" || words[0] == "hello") {
		words = words[1:]
	}
	if len(words) == 0 {
		r.ends = false
		return nil
	}
	arg := ""
	if len(words) > 1 {
		arg = words[1]
	}
	switch words[0] {
	case "true":
	case "false":
		r.exit.Code = 1
	case "exit":
		code, err := strconv.Atoi(arg)
		if err != nil || code < 0 || code > 255 {
			return fmt.Errorf("simulated: exit wants a code from 0 to 255, not %q", arg)
		}
		r.exit.Code = code
	case "sleep", "burn":
		d, err := seconds(arg)
		if err != nil {
			return err
		}
		r.lasts = min(r.lasts+d, maxLasts)
	case "print", "echo":
		r.lines = append(r.lines, line{r.lasts, strings.Join(words[1:], " ")})
	case "alloc":
		mb, err := strconv.ParseInt(arg, 10, 40)
		if err != nil || mb < 0 {
			return fmt.Errorf("simulated: alloc wants megabytes, not %q", arg)
		}
		if r.limit > 0 && mb<<20 > r.limit {
			r.exit = pod.Exit{Code: 137, Signal: 9, OOMKilled: true}
		} else {
			r.ends = false // it holds the memory
		}
	case "write", "cat", "fetch":
	case "serve":
		r.ends, r.tidy = false, true
	case "run":
		return r.chain(arg, depth)
	case "sh", "bash", "/bin/sh", "/bin/bash":
		if arg == "-c" && len(words) > 2 {
			return r.chain(words[2], depth)
		}
		r.ends = false
	case "missing-program":
		return errors.New(`exec: "missing-program": executable file not found in $PATH`)
	default:
		r.ends = false
	}
	return nil
}

// chain does commands joined by && and ;.
func (r *reader) chain(text string, depth int) error {
	words, err := split(text)
	if err != nil {
		return err
	}
	for len(words) > 0 {
		n, op := 0, ""
		for ; n < len(words); n++ {
			if words[n] == andThen || words[n] == then {
				op = words[n]
				break
			}
		}
		exits := n > 0 && words[0] == "exit"
		if n > 0 {
			if err := r.command(words[:n], depth+1); err != nil {
				return err
			}
		}
		if !r.ends || r.exit.OOMKilled || exits {
			return nil
		}
		if op == andThen && r.exit.Code != 0 {
			// Skip to the next command that goes on in any case.
			for n < len(words) && words[n] != then {
				n++
			}
		}
		if n == len(words) {
			return nil
		}
		words = words[n+1:]
	}
	return nil
}

// The operators as split returns them: no word of a command can be equal.
const (
	andThen = "\x00&&"
	then    = "\x00;"
)

// split cuts a command line into words and operators, with the quotes of a shell.
func split(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, quote := false, rune(0)
	flush := func() {
		if open {
			words = append(words, word.String())
			word.Reset()
			open = false
		}
	}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '\\' && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
			open = true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			flush()
			if c == '\n' {
				words = append(words, then)
			}
		case c == ';':
			flush()
			words = append(words, then)
		case c == '&' && i+1 < len(runes) && runes[i+1] == '&':
			i++
			flush()
			words = append(words, andThen)
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("simulated: a quote is not closed in the command")
	}
	flush()
	return words, nil
}

// seconds reads "2", "0.5" or "200ms".
func seconds(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d < 0 || d > maxSleep {
		return 0, fmt.Errorf("simulated: sleep wants seconds (at most a year), not %q", s)
	}
	return d, nil
}
