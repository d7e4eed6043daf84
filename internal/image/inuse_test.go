//go:build linux

package image

import "testing"

// anythingMountedByDescriptor reports whether this machine has mounts that hide
// their layers, so that nothing is collected here.
func anythingMountedByDescriptor(t *testing.T) bool {
	t.Helper()
	u, err := mountedLayers()
	if err != nil {
		t.Fatal(err)
	}
	return u.any
}
