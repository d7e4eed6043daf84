package main

import (
	"time"

	"github.com/spf13/cobra"

	"ludgate/internal/bench"
)

// benchCommand measures a server under load.
func benchCommand() *cobra.Command {
	opt := bench.Options{}
	cmd := &cobra.Command{
		Use: "bench", Short: "Measure throughput, latency and processor time beside floors of the same run", Args: cobra.NoArgs,
		Long: "Without --url the run starts development servers of its own on empty data directories, one with\n" +
			"the simulated engine and one with the real one, and ends them. The streaming platform that they\n" +
			"ask is in the process of the run. Load goes to loopback only.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.Out, opt.Log = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return bench.Run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.URL, "url", "", "Address of a running development server (http, loopback).")
	cmd.Flags().StringVar(&opt.Data, "data", "", "Data directory of that server, for the workloads that need a secret key of the title.")
	cmd.Flags().StringVar(&opt.Store, "store", "", "Database of the servers that the run starts, a postgres:// URL; a schema in it is made and dropped.")
	cmd.Flags().StringVar(&opt.Title, "title", "144", "The title to work in.")
	cmd.Flags().IntVar(&opt.Connections, "connections", 64, "Connections at once.")
	cmd.Flags().DurationVar(&opt.Duration, "duration", 5*time.Second, "Length of each workload.")
	cmd.Flags().StringSliceVar(&opt.Only, "only", nil, "Run only workloads whose name contains one of these words.")
	cmd.Flags().IntVar(&opt.Players, "players", 0, "Players to create beforehand.")
	return cmd
}
