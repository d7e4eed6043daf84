//go:build linux && !amd64 && !arm64

package filter

import (
	"errors"
	"runtime"

	"github.com/moby/profiles/seccomp"
	specs "github.com/opencontainers/runtime-spec/specs-go"
)

// Default gives the profile that containers of the field run under, for the
// bounding capabilities of spec.
func Default(spec *specs.Spec) (*specs.LinuxSeccomp, error) {
	return seccomp.GetDefaultProfile(spec)
}

// Compile fails: there is no table of this architecture's calls.
func Compile(*specs.LinuxSeccomp) ([]byte, error) {
	return nil, errors.New("no table of system calls for " + runtime.GOARCH)
}
