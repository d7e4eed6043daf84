// Package entry turns the process into the password helper when it was started
// as that, before main. Import it for this effect in every binary that hashes
// passwords: cmd/ludgate, and tests that want the helper.
//
//	import _ "ludgate/internal/password/entry"
package entry

import (
	"os"

	"ludgate/internal/password"
)

func init() {
	if password.IsInvoked() {
		os.Exit(password.Main(os.Args[1:]))
	}
	password.Offer()
}
