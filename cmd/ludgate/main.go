// Command ludgate is the one binary of Ludgate: server, tour, load generator and
// tools. It parses flags and calls the hall; it holds no rule. Run it without
// arguments for the list of commands; docs/cli.md is generated from them.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	// The other programs that this binary is when it is started under their
	// names: a container's shim and first stage, the password helper, and the
	// program of the built-in image.
	_ "ludgate/internal/engine/native/entry"
	_ "ludgate/internal/hello/entry"
	_ "ludgate/internal/password/entry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	if err := root().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errShown) {
			fmt.Fprintln(os.Stderr, "ludgate:", err)
		}
		os.Exit(1)
	}
}

// errShown ends the program with a failure that was already explained.
var errShown = errors.New("failed")

// root is the command tree.
func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ludgate",
		Short: "Player accounts, container groups, a directory and server names in one binary",
		Long: "Ludgate does, for real, what four cloud services do for a live game: player accounts,\n" +
			"container groups, a directory of groups and a server-name check. Start with `ludgate dev`,\n" +
			"then `ludgate tour` in a second terminal.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(devCommand(), serveCommand(), tourCommand(), benchCommand(), configCommand(),
		tokenCommand(), keysCommand(), titleCommand(), playerCommand(), imageCommand(), versionCommand(), referenceCommand())
	return cmd
}
