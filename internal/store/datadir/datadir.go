// Package datadir takes a data directory for one process, and says in one sentence
// why it cannot be used.
package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"ludgate/internal/store"
)

const lockName = "lock"

// Lock makes the data directory (mode 0700) where it is missing and takes it for
// this process, for as long as the file it returns is open: a second one would
// not see what the first has in memory. The file holds the number of the
// process, for the message that the second one prints; the lock is the kernel's,
// so a file that a killed process left behind is no obstacle. The error is a
// sentence; errors.Is finds store.ErrLocked, store.ErrReadOnly and store.ErrFull
// in it.
func Lock(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Explain(dir, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Explain(dir, err)
	}
	mine, err := tryLock(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("the data directory %s cannot be locked: %w", dir, err)
	}
	if !mine {
		defer f.Close()
		return nil, fmt.Errorf("the data directory %s is in use by another Ludgate%s (%w); stop that one, or choose another directory", dir, holder(f), store.ErrLocked)
	}
	// Best effort: on a full disk the lock holds without its text.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// holder is " (process N)" as the lock file says, or "".
func holder(f *os.File) string {
	text, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil {
		return ""
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// Explain makes of a file error one sentence about the data directory. errors.Is
// finds store.ErrReadOnly and store.ErrFull in it.
func Explain(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("the data directory %s cannot be written (%w); give this user the right to write there, or choose another directory: %v", dir, store.ErrReadOnly, Reason(err))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk of the data directory %s is full (%w); make room there, or choose another directory", dir, store.ErrFull)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return fmt.Errorf("the data directory %s is not a directory; choose another one", dir)
	}
	return fmt.Errorf("the data directory %s cannot be used: %v", dir, Reason(err))
}

// Reason is the bare cause of a file error, whose path the sentence has already.
func Reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
