package image

import (
	"net/http"
	"time"

	"ludgate"
)

// Options of a store. The zero value is right for production.
type Options struct {
	// Clock is where times come from; nil means time.Now.
	Clock ludgate.Clock
	// Program is the binary that the built-in image is made of; "" means the
	// running one.
	Program string
	// Limits on what an image may hold; zero fields take the defaults.
	Limits Limits
	// Downloads is how many blobs are fetched at the same time, over all pulls;
	// 0 means 4.
	Downloads int
	// Stall is how long a registry may send nothing before the attempt is given
	// up; 0 means 30 s.
	Stall time.Duration
	// Total is how long one pull may take; 0 means an hour.
	Total time.Duration
	// Backoff are the waits before the second, third, … attempt of a request
	// that failed in a way that may pass; nil means 1 s and 3 s.
	Backoff []time.Duration
	// Transport carries requests to registries; nil means one of the store's
	// own with the system's certificates and the proxies of the environment.
	Transport http.RoundTripper
}

// Limits bound what an image may ask of this machine. An image above a limit is
// refused for good.
type Limits struct {
	Manifest int64 // bytes of a manifest or an index; 4 MiB
	Config   int64 // bytes of an image configuration; 8 MiB
	Layers   int   // layers of an image; 125
	Download int64 // bytes of all compressed layers of an image; 32 GiB
	Unpacked int64 // bytes of all unpacked layers of an image; 64 GiB
	Entries  int   // files, links and directories, implied ones included, of an image; 2,000,000
	Path     int   // bytes of one path; 4,096
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Backoff == nil {
		o.Backoff = []time.Duration{time.Second, 3 * time.Second}
	}
	orDefault(&o.Downloads, 4)
	orDefault(&o.Stall, 30*time.Second)
	orDefault(&o.Total, time.Hour)
	orDefault(&o.Limits.Manifest, 4<<20)
	orDefault(&o.Limits.Config, 8<<20)
	orDefault(&o.Limits.Layers, 125)
	orDefault(&o.Limits.Download, 32<<30)
	orDefault(&o.Limits.Unpacked, 64<<30)
	orDefault(&o.Limits.Entries, 2_000_000)
	orDefault(&o.Limits.Path, 4096)
	return o
}

func orDefault[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}
