package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludgate/internal/config"
	"ludgate/internal/ticket"
)

// keysCommand shows and rotates the keys that sign players' proofs.
func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "keys", Short: "Show or rotate the keys that sign players' tickets",
		Long: "The keys are a file of the data directory. A running server notices within two seconds that it\n" +
			"has changed; nobody is signed out.",
	}
	var delay time.Duration
	list := &cobra.Command{
		Use: "list", Short: "List the keys and what each of them does now", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := keysDir(cmd)
			if err != nil {
				return err
			}
			now := time.Now()
			keys, err := ticket.Keys(dir, ticket.FileName, now)
			if err != nil {
				return err
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "KEY\tCREATED\tSTATE")
			for _, k := range keys {
				fmt.Fprintf(w, "%s\t%s\t%s\n", k.ID, k.Created.UTC().Format(time.RFC3339), keyState(k))
			}
			return w.Flush()
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Add a new signing key and drop those that are no longer needed", Args: cobra.NoArgs,
		Long: "The new key at first only checks, so that every server knows it before one signs with it. Where\n" +
			"servers on several machines share the file by copying it, give --after the time the copy takes.\n" +
			"A key that signs no more is kept until the last ticket it signed has expired, 24 hours and a\n" +
			"margin of one; a later rotation drops it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := keysDir(cmd)
			if err != nil {
				return err
			}
			r, err := ticket.Rotate(dir, ticket.FileName, time.Now(), delay)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			for _, k := range r.Dropped {
				fmt.Fprintf(out, "%s dropped\n", k.ID)
			}
			_, err = fmt.Fprintf(out, "%s added, %s\n", r.Added.ID, keyState(r.Added))
			return err
		},
	}
	rotate.Flags().DurationVar(&delay, "after", ticket.RotationDelay, "How long the new key only checks before it signs.")
	for _, sub := range []*cobra.Command{list, rotate} {
		addConfigFlags(sub, config.Serve)
		cmd.AddCommand(sub)
	}
	cmd.PersistentFlags().String("mode", string(config.Serve), "Whose data directory by default: serve or dev.")
	return cmd
}

// keysDir is where the settings say that keys are.
func keysDir(cmd *cobra.Command) (string, error) {
	mode, err := cmd.Flags().GetString("mode")
	if err != nil {
		return "", err
	}
	c, err := modeConfig(cmd, mode)
	return filepath.Join(c.Data, "keys"), err
}

// keyState says in words what a key does.
func keyState(k ticket.KeyInfo) string {
	switch k.State {
	case ticket.Waiting:
		return "checks, signs from " + k.From.UTC().Format(time.RFC3339)
	case ticket.Signing:
		return "signs and checks"
	case ticket.Retired:
		return "not needed any more; the next rotation drops it"
	}
	if k.Until.IsZero() {
		return "checks what it signed"
	}
	return "checks what it signed, until " + k.Until.UTC().Format(time.RFC3339)
}
