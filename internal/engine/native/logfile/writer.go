package logfile

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ludgate"
)

// Sizes in bytes.
const (
	MaxLine      = 16 << 10
	MaxFile      = 2 << 20
	MaxContainer = 2 * MaxFile
	// maxRuns is how many older runs keep their log, however short.
	maxRuns = 50
)

// Writer writes the log of one run. Its two streams may be used at the same
// time.
type Writer struct {
	dir, run string
	clock    ludgate.Clock

	mu      sync.Mutex
	file    *os.File
	size    int64
	failure error // the first that kept lines from being written
}

// Create starts the log of a run in the container's directory, and lets go of
// logs of its older runs as far as they are too many.
func Create(dir, run string, clock ludgate.Clock) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, run: run, clock: clock}
	if err := w.open(); err != nil {
		return nil, err
	}
	return w, nil
}

// open makes the current file and room for it.
func (w *Writer) open() error {
	if err := prune(w.dir, w.run); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(w.dir, w.run+suffix), os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w.file, w.size = f, 0
	return nil
}

const (
	suffix  = ".log"
	rotated = suffix + rotatedMark
)

// prune removes the oldest files of other runs until what is left, with a full
// current file, is within the limits.
func prune(dir, run string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	type old struct {
		name string
		size int64
		at   time.Time
	}
	var others []old
	room := int64(MaxContainer - MaxFile)
	for _, e := range entries {
		st, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		switch e.Name() {
		case run + suffix:
		case run + rotated:
			room -= st.Size()
		default:
			others = append(others, old{e.Name(), st.Size(), st.ModTime()})
		}
	}
	slices.SortFunc(others, func(a, b old) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(b.name, a.name))
	})
	for i, o := range others {
		if room -= o.size; room >= 0 && i < maxRuns {
			continue
		}
		room = -1 // nothing older than what went may stay
		if err := os.Remove(filepath.Join(dir, o.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Copy writes what comes from r, a pipe of the container, as one stream
// ("stdout" or "stderr"), until its end. It goes on reading when the disk does
// not take any more: the container must not be held up.
func (w *Writer) Copy(stream string, r io.Reader) {
	buf := make([]byte, 0, MaxLine)
	var out []byte
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		now := w.clock().UTC()
		out = out[:0]
		rest := buf
		for {
			line, after, whole := bytes.Cut(rest, []byte{'\n'})
			if !whole {
				break
			}
			out = appendLine(out, now, stream, 'F', line)
			rest = after
		}
		if len(rest) == cap(buf) || err != nil && len(rest) > 0 {
			out = appendLine(out, now, stream, 'P', rest)
			rest = nil
		}
		buf = buf[:copy(buf, rest)]
		if len(out) > 0 {
			w.write(out)
		}
		if err != nil {
			return
		}
	}
}

func appendLine(out []byte, at time.Time, stream string, tag byte, text []byte) []byte {
	out = at.AppendFormat(out, time.RFC3339Nano)
	out = append(out, ' ')
	out = append(out, stream...)
	out = append(out, ' ', tag, ' ')
	out = append(out, text...)
	return append(out, '\n')
}

// write appends whole lines, after rotating when they do not fit any more.
func (w *Writer) write(lines []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size > 0 && w.size+int64(len(lines)) > MaxFile {
		if err := w.rotate(); err != nil {
			w.failure = cmp.Or(w.failure, err)
		}
	}
	n, err := w.file.Write(lines)
	w.size += int64(n)
	if err != nil {
		w.failure = cmp.Or(w.failure, err)
		if n > 0 { // a full disk took half a line: take it back
			w.size -= int64(n)
			w.failure = cmp.Or(w.failure, w.file.Truncate(w.size))
		}
	}
}

func (w *Writer) rotate() error {
	current := filepath.Join(w.dir, w.run+suffix)
	if err := os.Rename(current, filepath.Join(w.dir, w.run+rotated)); err != nil {
		return err
	}
	before := w.file
	if err := w.open(); err != nil {
		return err
	}
	return before.Close()
}

// Close ends the log. It reports the first failure that cost lines.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(w.failure, w.file.Close())
}
