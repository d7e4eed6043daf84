package image

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Builtin is the reference of the image that needs no download. It is present
// with every tag.
const Builtin = "ludgate/hello"

// maxReference is longer than any reference that can be right: a host name, 255
// bytes of repository, 128 of tag and a digest.
const maxReference = 1024

// parse reads an image reference as users write it. Its Name is the canonical
// form under which the store keeps it: `nginx` is
// index.docker.io/library/nginx:latest.
func parse(reference string) (name.Reference, error) {
	if len(reference) > maxReference {
		return nil, fmt.Errorf("invalid image reference: longer than %d characters", maxReference)
	}
	ref, err := name.ParseReference(reference)
	if err == nil && loopback(hostOf(ref.Context().RegistryStr())) {
		ref, err = name.ParseReference(reference, name.Insecure)
	}
	if err != nil {
		var bad *name.ErrBadName
		if errors.As(err, &bad) {
			return nil, fmt.Errorf("invalid image reference: %w", bad)
		}
		return nil, errors.New("invalid image reference")
	}
	return ref, nil
}

// hostOf is a registry without its port.
func hostOf(registry string) string {
	return (&url.URL{Host: registry}).Hostname()
}

// isBuiltin reports whether ref names the built-in image, whatever its tag.
func isBuiltin(ref name.Reference) bool {
	return ref.Context().Name() == name.DefaultRegistry+"/"+Builtin
}

// canonical is the form of a reference that the store keeps. All tags of the
// built-in image are one.
func canonical(ref name.Reference) string {
	if isBuiltin(ref) {
		return name.DefaultRegistry + "/" + Builtin + ":" + name.DefaultTag
	}
	return ref.Name()
}

// loginFor finds the login for ref's registry. A login's server may be written
// as people do: with a scheme, a path, other case, or one of the names that
// Docker's registry goes by.
func loginFor(ref name.Reference, logins []Login) *Login {
	want := registryHost(ref.Context().RegistryStr())
	for i := range logins {
		if registryHost(logins[i].Server) == want {
			return &logins[i]
		}
	}
	return nil
}

func registryHost(server string) string {
	server = strings.ToLower(strings.TrimSpace(server))
	if _, rest, ok := strings.Cut(server, "://"); ok {
		server = rest
	}
	server, _, _ = strings.Cut(server, "/")
	switch server {
	case "docker.io", "registry-1.docker.io", "registry.hub.docker.com":
		return name.DefaultRegistry
	}
	return server
}
