package sqlite_test

import (
	"syscall"
	"testing"
)

// mountTmpfs puts a small file system on dir until the end of the test, or skips
// the test where that is not allowed. Size is as mount takes it, "" for one that
// cannot be written.
func mountTmpfs(t *testing.T, dir, size string) {
	t.Helper()
	flags, options := uintptr(syscall.MS_RDONLY), ""
	if size != "" {
		flags, options = 0, "size="+size
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("needs the right to mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}
