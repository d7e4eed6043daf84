package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"ludgate/internal/config"
	"ludgate/internal/server"
)

// devCommand starts development mode.
func devCommand() *cobra.Command {
	cmd := runCommand(config.Dev, "dev", "Run everything on this machine, for development",
		"Development mode listens on loopback only, makes titles, subscriptions and resource groups on\n"+
			"first use, treats a caller without a token as the developer with all rights, and brings its own\n"+
			"streaming platform. It is not for production.")
	cmd.AddCommand(devTokenCommand())
	return cmd
}

// serveCommand starts production mode.
func serveCommand() *cobra.Command {
	return runCommand(config.Serve, "serve", "Run as a server",
		"Only what the settings name exists: titles, the streaming platform, tokens. Management and\n"+
			"directory calls need an access token (see `ludgate token`).")
}

// runCommand is a command that runs the server in a mode.
func runCommand(mode config.Mode, name, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadConfig(cmd, mode)
			if err != nil {
				return err
			}
			return server.Run(cmd.Context(), c, os.Stdout, os.Stderr)
		},
	}
	addConfigFlags(cmd, mode)
	return cmd
}

// addConfigFlags adds --config and the flags of the settings.
func addConfigFlags(cmd *cobra.Command, mode config.Mode) {
	cmd.Flags().String("config", "", "Settings file (YAML); also LUDGATE_CONFIG.")
	c := config.Defaults(mode)
	for _, s := range config.Settings(&c) {
		if s.Flag == "" {
			continue
		}
		usage := s.Doc
		if s.Flag != "data" { // its default depends on the home directory
			usage = fmt.Sprintf("%s (default %s)", s.Doc, s.Text())
		}
		cmd.Flags().String(s.Flag, "", usage)
	}
}

// loadConfig reads the settings with the flags that were given.
func loadConfig(cmd *cobra.Command, mode config.Mode) (config.Config, error) {
	path, _ := cmd.Flags().GetString("config")
	if path == "" {
		path = os.Getenv("LUDGATE_CONFIG")
	}
	given := map[string]string{}
	c := config.Defaults(mode)
	for _, s := range config.Settings(&c) {
		if s.Flag != "" && cmd.Flags().Changed(s.Flag) {
			given[s.Flag], _ = cmd.Flags().GetString(s.Flag)
		}
	}
	return config.Load(mode, path, os.Environ(), given)
}
