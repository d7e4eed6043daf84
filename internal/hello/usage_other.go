//go:build !unix

package hello

import "time"

// processorTime is not known here; the image's program runs on Linux.
func processorTime() time.Duration { return 0 }
