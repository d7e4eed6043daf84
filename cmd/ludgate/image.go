package main

import (
	"context"
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludgate/internal/config"
	"ludgate/internal/image"
)

// imageCommand manages the images of a data directory.
func imageCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "image", Short: "Load, list and remove container images"}
	cmd.AddCommand(
		imageSubcommand("load PATH", "Load the images of an OCI layout directory or a tar file", 1,
			func(ctx context.Context, cmd *cobra.Command, st *image.Store, args []string) error {
				names, err := st.Load(ctx, args[0])
				for _, n := range names {
					fmt.Fprintln(cmd.OutOrStdout(), n)
				}
				return err
			}),
		imageSubcommand("list", "List the images that are present", 0,
			func(ctx context.Context, cmd *cobra.Command, st *image.Store, _ []string) error {
				images, err := st.List(ctx)
				if err != nil {
					return err
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
				for _, i := range images {
					fmt.Fprintf(w, "%s\t%s\n", i.Reference, i.Digest)
				}
				return w.Flush()
			}),
		imageSubcommand("remove REFERENCE", "Remove an image", 1,
			func(ctx context.Context, _ *cobra.Command, st *image.Store, args []string) error {
				return st.Remove(ctx, args[0])
			}),
	)
	return cmd
}

// imageSubcommand is a command that works on the image store of a data
// directory, also while a server runs on it.
func imageSubcommand(use, short string, args int, run func(context.Context, *cobra.Command, *image.Store, []string) error) *cobra.Command {
	var mode string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(args),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := modeConfig(cmd, mode)
			if err != nil {
				return err
			}
			st, err := image.Open(filepath.Join(c.Data, "images"), image.Options{})
			if err != nil {
				return err
			}
			defer st.Close()
			return run(cmd.Context(), cmd, st, args)
		},
	}
	addConfigFlags(cmd, config.Serve)
	cmd.Flags().StringVar(&mode, "mode", string(config.Dev), "Whose data directory by default: dev or serve.")
	return cmd
}
