package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludgate/internal/config"
)

// configCommand shows and checks settings.
func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show or check the settings"}
	mode := cmd.PersistentFlags().String("mode", string(config.Serve), "Whose settings: serve or dev.")
	cmd.AddCommand(
		&cobra.Command{
			Use: "print", Short: "Print the effective settings, secrets masked", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				c, err := modeConfig(cmd, *mode)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, s := range config.Settings(&c) {
					fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, s.Text(), s.Env)
				}
				fmt.Fprintf(w, "titles\t%d\t\n", len(c.Titles))
				fmt.Fprintf(w, "namings\t%d\t\n", len(c.Namings))
				return w.Flush()
			},
		},
		&cobra.Command{
			Use: "check", Short: "Check the settings and say what is wrong", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				if _, err := modeConfig(cmd, *mode); err != nil {
					return err
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "ok")
				return err
			},
		},
	)
	for _, sub := range cmd.Commands() {
		addConfigFlags(sub, config.Serve)
	}
	return cmd
}

// modeConfig loads the settings of the mode named by --mode.
func modeConfig(cmd *cobra.Command, mode string) (config.Config, error) {
	if mode != string(config.Dev) && mode != string(config.Serve) {
		return config.Config{}, fmt.Errorf("--mode is %q; it must be serve or dev", mode)
	}
	return loadConfig(cmd, config.Mode(mode))
}
