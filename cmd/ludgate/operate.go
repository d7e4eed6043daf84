package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"ludgate/internal/config"
	"ludgate/internal/server"
)

// operatorFlags adds what says which installation a command is about, to it and
// all below it.
func operatorFlags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.String("config", "", "Settings file (YAML); also LUDGATE_CONFIG.")
	f.String("data", "", "Data directory of the installation.")
	f.String("store", "", "Where its records are kept, while no server runs: embedded, or a postgres:// URL.")
	f.String("mode", string(config.Serve), "Whose data directory by default: serve or dev.")
	f.Bool("json", false, "Print JSON, for scripts.")
}

// operate runs fn with a way to the installation that the flags name: the server
// that runs there, or else this process.
func operate(cmd *cobra.Command, create bool, fn func(ctx context.Context, c *server.Control) error) (err error) {
	flag := func(name string) string {
		text, _ := cmd.Flags().GetString(name) // operatorFlags has added it
		return text
	}
	mode := config.Mode(flag("mode"))
	if mode != config.Dev && mode != config.Serve {
		return fmt.Errorf("--mode is %q; it must be serve or dev", mode)
	}
	path := flag("config")
	if path == "" {
		path = os.Getenv("LUDGATE_CONFIG")
	}
	given := map[string]string{}
	for _, name := range []string{"data", "store"} {
		if cmd.Flags().Changed(name) {
			given[name] = flag(name)
		}
	}
	c, err := config.Load(mode, path, os.Environ(), given)
	if err != nil {
		return err
	}
	ctl, err := server.Operate(cmd.Context(), c, create, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ctl.Close()) }()
	return fn(cmd.Context(), ctl)
}

// print writes a result: as JSON where --json asks for it, else as text does.
func print(cmd *cobra.Command, result any, text func(w io.Writer) error) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); !asJSON {
		return text(cmd.OutOrStdout())
	}
	b, err := json.Marshal(result, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(append(b, '\n'))
	return err
}

// say gives print a sentence to write.
func say(format string, args ...any) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		return err
	}
}
