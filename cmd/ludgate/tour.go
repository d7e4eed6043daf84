package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"ludgate/internal/tour"
)

// tourCommand drives a running server like a customer.
func tourCommand() *cobra.Command {
	var url, ca, title string
	cmd := &cobra.Command{
		Use: "tour", Short: "Drive a running server like a customer and check every answer", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := httpClient(ca)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Minute)
			defer cancel()
			err = tour.Run(ctx, tour.Options{
				URL: url, Title: title, Out: cmd.OutOrStdout(), Client: client,
				Colour: isatty.IsTerminal(os.Stdout.Fd()) && os.Getenv("NO_COLOR") == "",
			})
			if errors.Is(err, tour.ErrFailed) {
				return errShown
			}
			return err
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:8080", "The server's address.")
	cmd.Flags().StringVar(&ca, "ca", "", "PEM file of a certificate authority to trust, for https.")
	cmd.Flags().StringVar(&title, "title", "144", "The title to register players in.")
	return cmd
}

// httpClient makes a client that also trusts the authority in a PEM file.
func httpClient(ca string) (*http.Client, error) {
	tr := http.DefaultTransport.(*http.Transport).Clone()
	tr.Proxy = nil // the server is on this machine or named on purpose
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("read --ca: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca %s holds no PEM certificate", ca)
		}
		tr.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: tr, Timeout: time.Minute}, nil
}
