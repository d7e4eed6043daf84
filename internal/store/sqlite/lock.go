package sqlite

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ludgate/internal/store"
)

// lockDir takes the data directory for this process, for as long as the file it
// returns is open: SQLite itself would let a second process in, whose reads and
// signals would then not see ours. The file holds the number of the process, for
// the message that the second one prints; the lock is the kernel's, so a file
// that a killed process left behind is no obstacle.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, dirError(dir, err)
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
