package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"

	zombiezen "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// refused opens a store that must not open and checks the sentence.
func refused(t *testing.T, dir string, want error, words ...string) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err == nil {
		st.Close()
		t.Fatal("the store opens")
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("error %q is not %v", err, want)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is more than a sentence", err)
	}
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits")
	}
	dir := filepath.Join(t.TempDir(), "new", "data")
	openIn(t, dir, sqlite.Options{})
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d files, want 4 (%v)", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestWideModeOfTheFileIsTightened(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits")
	}
	dir := t.TempDir()
	openIn(t, dir, sqlite.Options{}).Close()
	path := filepath.Join(dir, sqlite.FileName)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openIn(t, dir, sqlite.Options{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

func TestDirectoryInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	first := openIn(t, dir, sqlite.Options{})
	refused(t, dir, store.ErrLocked, dir, "in use by another Ludgate (process ", "choose another directory")
	write(t, first, func(tx store.Tx) error { _, err := tx.Exec(createNote); return err })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	openIn(t, dir, sqlite.Options{})
}

func TestLockFileOfADeadProcessIsNoObstacle(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("not a number"), 0o600); err != nil {
		t.Fatal(err)
	}
	openIn(t, dir, sqlite.Options{})
	refused(t, dir, store.ErrLocked)
}

func TestFileThatIsNoDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, sqlite.FileName)
	text := strings.Repeat("these are my notes, not a database\n", 100)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, nil, path, "not a Ludgate database")
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Error("the file was changed")
	}
}

func TestDatabaseOfAnotherProgramIsRefused(t *testing.T) {
	for name, script := range map[string]string{
		"with tables":        `CREATE TABLE t (a TEXT);`,
		"with an owner":      `PRAGMA application_id = 1234;`,
		"with an owner, too": `PRAGMA application_id = 1234; CREATE TABLE t (a TEXT);`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, sqlite.FileName)
			other, err := zombiezen.OpenConn(path, zombiezen.OpenReadWrite|zombiezen.OpenCreate)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(sqlitex.ExecuteScript(other, script, nil), other.Close()); err != nil {
				t.Fatal(err)
			}
			refused(t, dir, nil, path, "another program")
		})
	}
}

func TestDamagedDatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	st := openNotes(t, dir, sqlite.Options{})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, sqlite.FileName)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// The header stays; the root of the schema, right behind it, is garbage.
	if _, err := f.WriteAt([]byte(strings.Repeat("\xa5", 1900)), 100); err != nil {
		t.Fatal(err)
	}
	f.Close()
	refused(t, dir, nil, path, "damaged", "backup")
}

func TestPathThatIsNoDirectoryIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, path, nil, path, "not a directory")
	refused(t, filepath.Join(path, "below"), nil, "not a directory")
}

func TestReadOnlyDirectoryIsRefused(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() == 0 {
		// Modes do not stop root; a read-only file system does.
		mountTmpfs(t, dir, "")
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	} else {
		t.Cleanup(func() { os.Chmod(dir, 0o700) })
	}
	refused(t, dir, store.ErrReadOnly, dir, "cannot be written")
	refused(t, filepath.Join(dir, "below"), store.ErrReadOnly, "cannot be written")
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	mountTmpfs(t, dir, "3m")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	st := openNotes(t, dir, sqlite.Options{})
	var err error
	notes := int64(0)
	for ; err == nil && notes < 1000; notes++ {
		err = st.Write(t.Context(), note(notes, 20<<10))
	}
	if notes--; !errors.Is(err, store.ErrFull) {
		t.Fatalf("after %d notes: %v, want ErrFull", notes, err)
	}
	if got := number(t, st, countNotes); got != notes {
		t.Errorf("%d notes, %d were acknowledged", got, notes)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	write(t, st, note(2000, 20<<10)) // room came back, and the store goes on
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st = openIn(t, dir, sqlite.Options{})
	if got := number(t, st, countNotes); got != notes+1 {
		t.Errorf("%d notes after reopening, want %d", got, notes+1)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}

	empty := t.TempDir()
	mountTmpfs(t, empty, "4k")
	refused(t, empty, store.ErrFull, "full")
}

func TestOpenWithAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlite.Open(ctx, t.TempDir(), sqlite.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
