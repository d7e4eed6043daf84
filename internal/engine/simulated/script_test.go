package simulated

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ludgate/internal/engine"
)

// TestCommands is the table of the package comment.
func TestCommands(t *testing.T) {
	sh := func(text string) []string { return []string{"/bin/sh", "-c", text} }
	for _, c := range []struct {
		command []string
		want    string
	}{
		{nil, "runs on"},
		{[]string{"nginx", "-g", "daemon off;"}, "runs on"},
		{[]string{"/hello"}, "runs on"},
		{[]string{"/hello", "serve", "--port", "80"}, "runs on"},
		{[]string{"/hello", "exit", "3"}, "0s exit 3"},
		{[]string{"exit", "255"}, "0s exit 255"},
		{[]string{"exit 7"}, "0s exit 7"},
		{[]string{"exit", "256"}, "error: simulated: exit wants a code from 0 to 255, not \"256\""},
		{[]string{"exit"}, "error: simulated: exit wants a code from 0 to 255, not \"\""},
		{[]string{"sleep", "2"}, "2s exit 0"},
		{[]string{"sleep", "0.25"}, "250ms exit 0"},
		{[]string{"sleep", "200ms"}, "200ms exit 0"},
		{[]string{"sleep", "-1"}, "error: simulated: sleep wants seconds (at most a year), not \"-1\""},
		{[]string{"sleep", "9e9"}, "error: simulated: sleep wants seconds (at most a year), not \"9e9\""},
		{[]string{"print", "a", "b"}, "0s exit 0 [0s a b]"},
		{[]string{"true"}, "0s exit 0"},
		{[]string{"false"}, "0s exit 1"},
		{[]string{"fetch", "http://x"}, "0s exit 0"},
		{[]string{"alloc", "63"}, "runs on"},
		{[]string{"alloc", "65"}, "0s exit 137 out of memory"},
		{[]string{"missing-program"}, "error: exec: \"missing-program\": executable file not found in $PATH"},
		{sh("exit 1"), "0s exit 1"},
		{sh("echo 'a  b' \"c d\"; sleep 1; echo e\\ f; exit 3; echo never"), "1s exit 3 [0s a  b c d] [1s e f]"},
		{sh("false && echo no; echo yes"), "0s exit 0 [0s yes]"},
		{sh("sleep 1 && false && echo no"), "1s exit 1"},
		{sh("sleep 1\nexit 2"), "1s exit 2"},
		{sh("while true; do date; done"), "runs on"},
		{sh("echo 'open"), "error: simulated: a quote is not closed in the command"},
		{sh("echo up; server; echo never"), "runs on [0s up]"},
		{[]string{"/hello", "run", "print a && sleep 1 && exit 4"}, "1s exit 4 [0s a]"},
		{sh(""), "0s exit 0"},
		{sh(strings.Repeat("true;", 2000)), "error: simulated: the command has too many steps"},
	} {
		s, err := read(&engine.Container{Command: c.command, MemoryRequest: 64 << 20})
		got := ""
		switch {
		case err != nil:
			got = "error: " + err.Error()
		case s.ends:
			got = fmt.Sprint(s.lasts, " exit ", s.exit.Code)
			if s.exit.OOMKilled {
				got += " out of memory"
			}
		default:
			got = "runs on"
		}
		for _, l := range s.lines {
			got += fmt.Sprintf(" [%s %s]", l.after, l.text)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.command, got, c.want)
		}
	}
}

func FuzzCommand(f *testing.F) {
	f.Add("exit 1")
	f.Add("echo 'a' && sleep 0.1; run 'exit 2 && print x'")
	f.Add("sh -c \"run 'run \\\"sh -c x\\\"'\"")
	f.Fuzz(func(t *testing.T, text string) {
		for _, command := range [][]string{{text}, {"/bin/sh", "-c", text}, {"run", text}} {
			s, err := read(&engine.Container{Command: command})
			if err != nil {
				continue
			}
			if s.lasts < 0 || s.exit.Code < 0 || s.exit.Code > 255 || len(s.lines) > maxSteps || s.lasts > maxLasts {
				t.Errorf("%q: %+v", command, s)
			}
			last := time.Duration(0)
			for _, l := range s.lines {
				if l.after < last {
					t.Errorf("%q: lines out of order", command)
				}
				last = l.after
			}
		}
	})
}
