package image

import "context"

// Image is an image that is present and unpacked.
type Image struct {
	Reference string // as asked for
	Digest    string // "sha256:…" of the manifest (of the built-in image: of its layer)
	Cached    bool   // nothing had to be fetched or unpacked for this call

	Entrypoint, Cmd, Env         []string
	WorkingDir, User, StopSignal string

	// Layers are absolute directories of unpacked layers, lowest first, in
	// overlayfs form (whiteouts as character devices 0:0). They are read-only
	// for everybody and stay while the image is in the store.
	Layers []string
}

// Login is a user name and password for one registry host ("host[:port]").
type Login struct {
	Server, Username, Password string
}

// Puller is what an engine needs of an image store.
type Puller interface {
	// Pull makes the image present: from the store when it is there, else from
	// its registry. Failures are *PullError.
	Pull(ctx context.Context, reference string, logins []Login) (*Image, error)
}

// PullError is a failed pull. Permanent means that trying again cannot help
// until the request changes (no such image or tag, access denied, malformed
// reference, wrong platform).
type PullError struct {
	Reference string
	Permanent bool
	Err       error // the registry's own words
}

// Error names the image and gives the registry's words.
func (e *PullError) Error() string {
	return "failed to pull image " + e.Reference + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *PullError) Unwrap() error { return e.Err }
