package entry

import (
	"os"

	"ludgate/internal/engine/native/stage1"
)

func init() {
	if len(os.Args) > 0 && os.Args[0] == stage1.Name {
		stage1.Main()
	}
}
