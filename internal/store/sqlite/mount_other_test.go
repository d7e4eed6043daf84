//go:build !linux

package sqlite_test

import "testing"

func mountTmpfs(t *testing.T, _, _ string) {
	t.Helper()
	t.Skip("needs a small file system, which this test makes on Linux only")
}
