package image

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
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
	// The library takes more than registries do, for example "..".
	if !hostPattern.MatchString(ref.Context().RegistryStr()) {
		return nil, fmt.Errorf("invalid image reference: %q is no host name", ref.Context().RegistryStr())
	}
	if !repositoryPattern.MatchString(ref.Context().RepositoryStr()) {
		return nil, fmt.Errorf("invalid image reference: %q is no name of a repository", ref.Context().RepositoryStr())
	}
	if tag, ok := ref.(name.Tag); ok && !tagPattern.MatchString(tag.TagStr()) {
		return nil, fmt.Errorf("invalid image reference: %q is no tag", tag.TagStr())
	}
	return ref, nil
}

// The grammar of the OCI distribution specification, and of hosts that a URL can
// hold.
var (
	hostPattern       = regexp.MustCompile(`^(?:(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$`)
	repositoryPattern = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$`)
	tagPattern        = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
)

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
