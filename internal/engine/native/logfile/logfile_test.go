package logfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)

func clock() time.Time { return at }

const stamp = "2026-01-02T03:04:05.0000006Z "

// chunks is a pipe that gives these pieces one by one.
type chunks []string

func (c *chunks) Read(p []byte) (int, error) {
	if len(*c) == 0 {
		return 0, io.EOF
	}
	n := copy(p, (*c)[0])
	if (*c)[0] = (*c)[0][n:]; (*c)[0] == "" {
		*c = (*c)[1:]
	}
	return n, nil
}

// written gives the logs directory after a run printed these pieces to stdout.
func written(t *testing.T, run string, pieces ...string) string {
	t.Helper()
	logs := t.TempDir()
	write(t, logs, run, pieces...)
	return logs
}

func write(t *testing.T, logs, run string, pieces ...string) {
	t.Helper()
	w, err := Create(filepath.Join(logs, "web"), run, clock)
	if err != nil {
		t.Fatal(err)
	}
	c := chunks(pieces)
	w.Copy("stdout", &c)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, logs, run string, tail int, timestamps bool) string {
	t.Helper()
	text, err := Read(logs, run, tail, timestamps)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLinesComeBackAsPrinted(t *testing.T) {
	long := strings.Repeat("x", 3*MaxLine+5)
	for name, tc := range map[string]struct {
		pieces     []string
		tail       int
		timestamps bool
		want       string
	}{
		"nothing":                     {nil, 0, false, ""},
		"lines":                       {[]string{"a\nb\n"}, 0, false, "a\nb\n"},
		"a line in pieces":            {[]string{"he", "llo", "\nyou\n"}, 0, false, "hello\nyou\n"},
		"blank lines":                 {[]string{"\n\na\n"}, 0, false, "\n\na\n"},
		"no end of line at the end":   {[]string{"a\nb"}, 0, false, "a\nb"},
		"a long line":                 {[]string{long + "\nend\n"}, 0, false, long + "\nend\n"},
		"a long line, cut at its end": {[]string{strings.Repeat("y", MaxLine) + "\n"}, 0, false, strings.Repeat("y", MaxLine) + "\n"},
		"the last lines":              {[]string{"a\nb\nc\n"}, 2, false, "b\nc\n"},
		"more lines than there are":   {[]string{"a\n"}, 5, false, "a\n"},
		"the last, without its end":   {[]string{"a\nb"}, 1, false, "b"},
		"times":                       {[]string{"a\nb\n"}, 0, true, stamp + "a\n" + stamp + "b\n"},
		"a long line has one time":    {[]string{long + "\n"}, 1, true, stamp + long + "\n"},
		"not UTF-8":                   {[]string{"\xff\x00\n"}, 0, false, "\xff\x00\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, written(t, "web-1", tc.pieces...), "web-1", tc.tail, tc.timestamps)
			if got != tc.want {
				t.Errorf("got %.80q, want %.80q", got, tc.want)
			}
		})
	}
}

func TestStreamsKeepTheirPieces(t *testing.T) {
	text := stamp + "stdout P he\n" + stamp + "stderr F oops\n" + stamp + "stdout F llo\n" + "rubbish\n" + stamp + "stderr P half\n"
	if got, want := string(render([]byte(text), 0, false)), "hello\noops\nhalf"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFormatOnDisk(t *testing.T) {
	logs := written(t, "web-1", "a\nb")
	text, err := os.ReadFile(filepath.Join(logs, "web", "web-1.log"))
	if err != nil {
		t.Fatal(err)
	}
	if want := stamp + "stdout F a\n" + stamp + "stdout P b\n"; string(text) != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

func TestUnknownRun(t *testing.T) {
	if _, err := Read(t.TempDir(), "web-1", 0, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// disk is what a container's logs take.
func disk(t *testing.T, logs string) (size int64) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(logs, "web"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		st, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += st.Size()
	}
	return size
}

func TestALongLogIsBounded(t *testing.T) {
	logs := t.TempDir()
	write(t, logs, "web-1", "of the run before\n")
	line := strings.Repeat("z", 1000) + "\n"
	var pieces []string
	for range 3 * MaxContainer / len(line) {
		pieces = append(pieces, line)
	}
	pieces = append(pieces, "the last one\n")
	write(t, logs, "web-2", pieces...)

	if size := disk(t, logs); size > MaxContainer {
		t.Errorf("%d bytes on disk, at most %d wanted", size, MaxContainer)
	}
	got := read(t, logs, "web-2", 0, false)
	if !strings.HasSuffix(got, line+"the last one\n") {
		t.Errorf("the end is lost: %.80q", got[len(got)-80:])
	}
	if len(got) < MaxFile/2 {
		t.Errorf("only %d bytes kept", len(got))
	}
	if strings.Trim(got[:1000], "z") != "" {
		t.Errorf("does not begin with a whole line: %.40q", got)
	}
}

func TestOlderRunsAreKeptAsFarAsThereIsRoom(t *testing.T) {
	logs := t.TempDir()
	big := strings.Repeat("b\n", MaxFile/80) // about 0.5 MiB on disk once stamped
	for i := range 8 {
		run := fmt.Sprintf("web-%d", i)
		write(t, logs, run, big)
		then := at.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(filepath.Join(logs, "web", run+".log"), then, then); err != nil {
			t.Fatal(err)
		}
	}
	if size := disk(t, logs); size > MaxContainer {
		t.Errorf("%d bytes on disk", size)
	}
	if got := read(t, logs, "web-7", 1, false); got != "b\n" {
		t.Errorf("newest: %q", got)
	}
	if got := read(t, logs, "web-6", 1, false); got != "b\n" {
		t.Errorf("the one before: %q", got)
	}
	if _, err := Read(logs, "web-0", 0, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("oldest: %v", err)
	}
}

func TestManyShortRuns(t *testing.T) {
	logs := t.TempDir()
	for i := range maxRuns + 20 {
		write(t, logs, fmt.Sprintf("web-%03d", i), "x\n")
	}
	entries, err := os.ReadDir(filepath.Join(logs, "web"))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) > maxRuns+1 {
		t.Errorf("%d logs kept", len(entries))
	}
}

// A reader during rotation sees whole lines, in order, and each at most once.
func TestReadWhileWriting(t *testing.T) {
	logs := t.TempDir()
	w, err := Create(filepath.Join(logs, "web"), "web-1", clock)
	if err != nil {
		t.Fatal(err)
	}
	r, pipe := io.Pipe()
	var done sync.WaitGroup
	done.Go(func() { w.Copy("stdout", r) })
	done.Go(func() {
		defer pipe.Close()
		pad := strings.Repeat(".", 4000)
		for i := range 1200 {
			fmt.Fprintf(pipe, "%06d %s\n", i, pad)
		}
	})
	for range 20 {
		text, err := Read(logs, "web-1", 0, false)
		if err != nil {
			t.Fatal(err)
		}
		last := -1
		for line := range bytes.Lines(text) {
			var n int
			if _, err := fmt.Sscanf(string(line), "%06d", &n); err != nil {
				t.Fatalf("torn line %.40q", line)
			}
			if n <= last || last >= 0 && n != last+1 {
				t.Fatalf("line %d after %d", n, last)
			}
			last = n
		}
	}
	done.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte(stamp+"stdout F a\n"+stamp+"stderr P b\n"), 1, true)
	f.Add([]byte("x y F \nx y P z\n"), 0, false)
	f.Fuzz(func(t *testing.T, text []byte, tail int, timestamps bool) {
		out := render(text, tail, timestamps)
		if len(out) > len(text) {
			t.Errorf("more text than there is")
		}
	})
}
