package native

import (
	"sync"

	specs "github.com/opencontainers/runtime-spec/specs-go"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/filter"
	"ludgate/internal/engine/native/spec"
)

// compiled is the default seccomp profile and its program.
type compiled struct {
	profile *specs.LinuxSeccomp
	program []byte
}

// defaultFilter compiles the default profile once: it depends on nothing but the
// capabilities of containers and the kernel.
var defaultFilter = sync.OnceValues(func() (compiled, error) {
	profile, err := filter.Default(spec.New(&spec.Container{Wish: &engine.Container{}, CgroupsPath: "/"}))
	if err != nil {
		return compiled{}, err
	}
	program, err := filter.Compile(profile)
	return compiled{profile, program}, err
})
