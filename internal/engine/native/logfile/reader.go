package logfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Read gives what a run printed, oldest first: the last tail lines (0 = all),
// each behind its time and a blank when timestamps is set. It fails with
// fs.ErrNotExist when the run has no log. logs is the directory that holds those
// of all containers.
func Read(logs, run string, tail int, timestamps bool) ([]byte, error) {
	path, err := find(logs, run)
	if err != nil {
		return nil, err
	}
	newer, older, err := readFiles(path)
	for range rotationTries {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		// It is being rotated: the next file will be there in a moment.
		time.Sleep(time.Millisecond)
		newer, older, err = readFiles(path)
	}
	if errors.Is(err, fs.ErrNotExist) { // whoever wrote it ended in the middle of rotating
		newer, older, err = readFiles(path + rotatedMark)
	}
	if err != nil {
		return nil, err
	}
	// One contiguous text makes pieces of a line meet across the two files.
	return render(append(older, newer...), tail, timestamps), nil
}

// rotationTries is how often a log that is being rotated is looked for.
const rotationTries = 20

// rotatedMark ends the name of a rotated file, behind the current one's.
const rotatedMark = ".1"

// find gives the path of a run's current file, which may be away for a moment
// while it is rotated.
func find(logs, run string) (string, error) {
	for _, mark := range []string{"", rotatedMark, ""} { // the last one: rotated between the first two
		found, err := filepath.Glob(filepath.Join(logs, "*", run+suffix+mark))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return strings.TrimSuffix(found[0], mark), nil
		}
	}
	return "", fs.ErrNotExist
}

// readFiles reads the current file and the rotated one. When they are rotated in
// between, the current one read first is the rotated one now, and is not read
// twice.
func readFiles(path string) (newer, older []byte, err error) {
	current, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer current.Close()
	before, err := os.Open(path + rotatedMark)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		newer, err = readAll(current)
		return newer, nil, err
	case err != nil:
		return nil, nil, err
	}
	defer before.Close()
	a, err := current.Stat()
	if err != nil {
		return nil, nil, err
	}
	b, err := before.Stat()
	if err != nil {
		return nil, nil, err
	}
	if newer, err = readAll(current); err != nil || os.SameFile(a, b) {
		return newer, nil, err
	}
	older, err = readAll(before)
	return newer, older, err
}

// readAll reads up to the end that the file had at the beginning, which is
// limited however much is written meanwhile.
func readAll(f *os.File) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(st.Size(), MaxFile+4*MaxLine))
	n, err := f.ReadAt(text, 0)
	if n == len(text) {
		err = nil
	}
	text = text[:n]
	// A line that is being written right now is left for the next time.
	return text[:bytes.LastIndexByte(text, '\n')+1], err
}

// entry is one line of a log file, taken apart.
type entry struct {
	time, stream, text []byte
	partial            bool
}

// parse takes a line apart; false when it is not one of ours.
func parse(line []byte) (e entry, ok bool) {
	at, rest, ok1 := bytes.Cut(line, []byte{' '})
	stream, rest, ok2 := bytes.Cut(rest, []byte{' '})
	tag, text, ok3 := bytes.Cut(rest, []byte{' '})
	if !ok1 || !ok2 || !ok3 || len(tag) != 1 || tag[0] != 'F' && tag[0] != 'P' {
		return entry{}, false
	}
	return entry{at, stream, text, tag[0] == 'P'}, true
}

// render puts lines together again: pieces of one stream are joined.
func render(text []byte, tail int, timestamps bool) []byte {
	type line struct {
		time  []byte
		text  []byte
		ended bool
	}
	var lines []line
	open := map[string]int{} // stream -> the line whose next piece is to come
	for raw := range bytes.Lines(text) {
		e, ok := parse(bytes.TrimSuffix(raw, []byte{'\n'}))
		if !ok {
			continue
		}
		at, joins := open[string(e.stream)]
		if joins {
			lines[at].text = append(lines[at].text[:len(lines[at].text):len(lines[at].text)], e.text...)
			lines[at].ended = !e.partial
		} else {
			at = len(lines)
			lines = append(lines, line{e.time, e.text, !e.partial})
		}
		if e.partial {
			open[string(e.stream)] = at
		} else {
			delete(open, string(e.stream))
		}
	}
	if tail > 0 && len(lines) > tail {
		lines = lines[len(lines)-tail:]
	}
	var out []byte
	for i, l := range lines {
		if timestamps {
			out = append(append(out, l.time...), ' ')
		}
		out = append(out, l.text...)
		// An open line is either the last, as it was printed, or stands before
		// another stream's, which begins a new one.
		if l.ended || i < len(lines)-1 {
			out = append(out, '\n')
		}
	}
	return out
}
