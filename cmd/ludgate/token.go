package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ludgate/internal/access"
	"ludgate/internal/authority"
	"ludgate/internal/config"
)

// tokenCommand issues an access token with the keys of a data directory.
func tokenCommand() *cobra.Command {
	g := authority.Grant{}
	var roles []string
	cmd := &cobra.Command{
		Use: "token management|directory", Short: "Issue an access token for management or directory calls",
		Long: "Issues a token signed with the keys of the data directory, so whoever can read that directory\n" +
			"can issue tokens. Management tokens carry user_impersonation; name the permissions of a\n" +
			"directory token with --permission, for example Group.ReadWrite.All.",
		Args: cobra.ExactArgs(1), ValidArgs: []string{"management", "directory"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "management":
				g.Audience = authority.ManagementAudience
				if !g.App {
					g.Permissions = append(g.Permissions, "user_impersonation")
				}
			case "directory":
				g.Audience = authority.DirectoryAudience
			default:
				return fmt.Errorf("%q is no kind of token; it must be management or directory", args[0])
			}
			for _, name := range roles {
				id, ok := access.DirectoryRole(name)
				if !ok {
					return fmt.Errorf("--role is %q; it must be one of %s", name, strings.Join(access.DirectoryRoles(), ", "))
				}
				g.Roles = append(g.Roles, id)
			}
			c, err := loadConfig(cmd, config.Serve)
			if err != nil {
				return err
			}
			a, err := authority.New(authority.Options{Dir: filepath.Join(c.Data, "keys")})
			if err != nil {
				return err
			}
			token, err := a.Issue(g)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			return err
		},
	}
	addConfigFlags(cmd, config.Serve)
	cmd.Flags().BoolVar(&g.App, "app", false, "For a program by itself instead of a person.")
	cmd.Flags().StringVar(&g.Name, "name", "", "Who the token is for, shown in messages.")
	cmd.Flags().StringVar(&g.Subject, "subject", "", "Object id (GUID) of the person or program; made up when empty.")
	cmd.Flags().StringSliceVar(&g.Permissions, "permission", nil, "Permission the token carries; may be given several times.")
	cmd.Flags().StringSliceVar(&roles, "role", nil, "Directory role the subject holds, such as 'Privileged Role Administrator'; may be given several times.")
	cmd.Flags().DurationVar(&g.Lifetime, "lifetime", time.Hour, "How long the token lives.")
	return cmd
}

// devTokenCommand asks the running development server for a streaming token.
func devTokenCommand() *cobra.Command {
	var url, ca string
	req := struct {
		UserID    string `json:"user_id,omitempty"`
		Login     string `json:"login,omitempty"`
		ClientID  string `json:"client_id,omitempty"`
		Kind      string `json:"kind,omitempty"`
		ExpiresIn int64  `json:"expires_in,omitempty"`
	}{}
	cmd := &cobra.Command{
		Use: "token", Short: "Mint a token of the built-in streaming platform", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := httpClient(ca)
			if err != nil {
				return err
			}
			body, err := json.Marshal(req)
			if err != nil {
				return err
			}
			resp, err := client.Post(strings.TrimRight(url, "/")+"/dev/streaming/token", "application/json", bytes.NewReader(body))
			if err != nil {
				return fmt.Errorf("no development server answers; start one with `ludgate dev`: %w", err)
			}
			defer resp.Body.Close()
			raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			if err != nil {
				return err
			}
			var reply struct {
				AccessToken string `json:"access_token"`
			}
			if resp.StatusCode != http.StatusOK || json.Unmarshal(raw, &reply) != nil || reply.AccessToken == "" {
				return fmt.Errorf("the server answered %s: %s", resp.Status, raw)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), reply.AccessToken)
			return err
		},
	}
	cmd.Flags().StringVar(&url, "url", "http://127.0.0.1:8080", "The development server's address.")
	cmd.Flags().StringVar(&ca, "ca", "", "PEM file of a certificate authority to trust, for https.")
	cmd.Flags().StringVar(&req.UserID, "user-id", "42", "The user's id on the platform, digits.")
	cmd.Flags().StringVar(&req.Login, "login", "ann", "The user's name on the platform.")
	cmd.Flags().StringVar(&req.ClientID, "client-id", "", "The application the token is for; the platform's own when empty.")
	cmd.Flags().StringVar(&req.Kind, "kind", "", "user or app.")
	cmd.Flags().Int64Var(&req.ExpiresIn, "expires-in", 0, "Lifetime in seconds; the platform's own when 0.")
	return cmd
}
