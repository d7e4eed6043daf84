package native_test

import "os"

// serverVariable makes this binary a server that is there to be killed.
const serverVariable = "LUDGATE_TEST_NATIVE_SERVER"

var cleanups []func()

func serverMain(dir string) { os.Exit(0) }
