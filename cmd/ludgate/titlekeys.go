package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludgate/internal/player/operator"
	"ludgate/internal/server"
)

// keyVerb is one thing to do with the keys of a title.
type keyVerb struct {
	words string // after the title's id
	call  string
	names bool // a name follows
	said  string
}

// keyVerbs but the lists.
var keyVerbs = []keyVerb{
	{"create", "keys/create", true, ""},
	{"disable", "keys/disable", true, "secret key %s disabled"},
	{"enable", "keys/enable", true, "secret key %s enabled"},
	{"delete", "keys/delete", true, "secret key %s deleted"},
	{"pair create", "pair/create", false, ""},
	{"pair delete", "pair/delete", false, "key pair deleted"},
	{"shared create", "shared/create", true, ""},
	{"shared disable", "shared/disable", true, "shared secret %s disabled"},
	{"shared enable", "shared/enable", true, "shared secret %s enabled"},
	{"shared delete", "shared/delete", true, "shared secret %s deleted"},
}

func titleKeysCommand() *cobra.Command {
	return &cobra.Command{
		Use: "keys ID list|create|disable|enable|delete|pair|shared [NAME]", Short: "Manage the keys of a title", Args: cobra.RangeArgs(2, 4),
		Long: "Secret keys are what game servers and tools send as X-SecretKey. A new one is printed once and\n" +
			"cannot be shown again.\n\n" +
			"    ludgate title keys ID list\n" +
			"    ludgate title keys ID create|disable|enable|delete NAME\n\n" +
			"The key pair is what clients encrypt requests with; shared secrets let them ask for its public\n" +
			"half. A shared secret without a name is named by itself.\n\n" +
			"    ludgate title keys ID pair create|delete\n" +
			"    ludgate title keys ID shared list\n" +
			"    ludgate title keys ID shared create|disable|enable|delete NAME",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, words := args[0], strings.Join(args[1:], " ")
			if words == "list" || words == "shared list" {
				return listKeys(cmd, id, words == "shared list")
			}
			for _, v := range keyVerbs {
				name, ok := "", words == v.words
				if v.names {
					name, ok = strings.CutPrefix(words, v.words+" ")
				}
				if ok {
					return v.run(cmd, id, name)
				}
			}
			return fmt.Errorf("%q is nothing to do with keys, or its name is missing; see ludgate title keys --help", words)
		},
	}
}

// run does it and prints a key that it made.
func (v keyVerb) run(cmd *cobra.Command, id, name string) error {
	return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
		var key operator.NewKey
		if err := c.Call(ctx, v.call, operator.KeyRequest{ID: id, Name: name}, &key); err != nil {
			return err
		}
		switch {
		case v.said == "":
			return print(cmd, key, say("%s", key.Key))
		case v.names:
			return print(cmd, struct{}{}, say(v.said, name))
		}
		return print(cmd, struct{}{}, say("%s", v.said))
	})
}

// listKeys shows the keys, or the shared secrets alone, which are shown whole.
func listKeys(cmd *cobra.Command, id string, shared bool) error {
	return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
		var keys operator.Keys
		if err := c.Call(ctx, "keys/list", operator.TitleRequest{ID: id}, &keys); err != nil {
			return err
		}
		if shared {
			return print(cmd, keys.Shared, func(w io.Writer) error {
				tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "NAME\tSTATE\tSHARED SECRET")
				for _, k := range keys.Shared {
					fmt.Fprintf(tw, "%s\t%s\t%s\n", k.Name, enabled(k.Disabled), k.Value)
				}
				return tw.Flush()
			})
		}
		return print(cmd, keys, func(w io.Writer) error {
			tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			fmt.Fprintln(tw, "KIND\tNAME\tSTATE\tCREATED")
			for _, k := range keys.Secrets {
				fmt.Fprintf(tw, "secret key\t%s\t%s\t%s\n", k.Name, enabled(k.Disabled), k.Created.UTC().Format(time.RFC3339))
			}
			for _, k := range keys.Shared {
				fmt.Fprintf(tw, "shared secret\t%s\t%s\t\n", k.Name, enabled(k.Disabled))
			}
			if keys.PublicKey != "" {
				fmt.Fprintf(tw, "key pair\t\t%s\t\n", enabled(false))
			}
			return tw.Flush()
		})
	})
}

func enabled(disabled bool) string {
	if disabled {
		return "disabled"
	}
	return "enabled"
}
