// Package entry turns the process into the program of the image ludgate/hello
// when it was started as that, before main. Import it for this effect in every
// binary whose image.Store offers the built-in image: cmd/ludgate and the tests
// of engines.
//
//	import _ "ludgate/internal/hello/entry"
package entry

import (
	"os"

	"ludgate/internal/hello"
)

func init() {
	if hello.IsInvoked() {
		os.Exit(hello.Main(os.Args[1:]))
	}
}
