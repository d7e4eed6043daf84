package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"ludgate/internal/player/operator"
	"ludgate/internal/player/title"
	"ludgate/internal/server"
)

// titleCommand manages the titles of an installation.
func titleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "title", Short: "Add, show, change and delete titles, and manage their keys",
		Long: "Works on the server that runs on the data directory, over a socket in it that only its owner can\n" +
			"open; while none runs, on the store itself. A change shows on every node within two seconds.\n" +
			"Titles that the settings file declares are changed there; their keys are managed here.",
	}
	operatorFlags(cmd)
	cmd.AddCommand(titleAddCommand(), titleListCommand(), titleShowCommand(), titleSetCommand(), titleKeysCommand(), titleDeleteCommand())
	return cmd
}

func titleAddCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "add ID", Short: "Add a title", Args: cobra.ExactArgs(1),
		Long: "An id is 3 to 5 hexadecimal digits. Every setting may be given now or with `ludgate title set`.",
	}
	for _, f := range title.Fields() {
		switch name := flagName(f); f.Type {
		case title.SwitchField:
			cmd.Flags().Bool(name, false, f.Doc)
		case title.ListField, title.RecordField:
			cmd.Flags().StringArray(name, nil, f.Doc+" "+howGiven(f)+"; may be given several times.")
		default:
			cmd.Flags().String(name, "", f.Doc)
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		settings := map[string][]string{}
		for _, f := range title.Fields() {
			flag := cmd.Flags().Lookup(flagName(f))
			if !flag.Changed {
				continue
			}
			settings[f.Key] = []string{flag.Value.String()}
			if f.Type == title.ListField || f.Type == title.RecordField {
				settings[f.Key], _ = cmd.Flags().GetStringArray(flag.Name)
			}
		}
		return operate(cmd, true, func(ctx context.Context, c *server.Control) error {
			var t operator.Title
			if err := c.Call(ctx, "titles/add", operator.SetRequest{ID: args[0], Settings: settings}, &t); err != nil {
				return err
			}
			return print(cmd, t, say("title %s added", t.ID))
		})
	}
	return cmd
}

func flagName(f title.Field) string { return strings.ReplaceAll(f.Key, "_", "-") }

// howGiven says how the texts of a list look.
func howGiven(f title.Field) string {
	if f.Type == title.RecordField {
		return "A JSON object"
	}
	return "Comma-separated"
}

func titleListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the titles", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				var out operator.Titles
				if err := c.Call(ctx, "titles/list", struct{}{}, &out); err != nil {
					return err
				}
				return print(cmd, out.Titles, func(w io.Writer) error {
					tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
					fmt.Fprintln(tw, "ID\tFROM\tNAME")
					for _, t := range out.Titles {
						fmt.Fprintf(tw, "%s\t%s\t%s\n", t.ID, t.Source, t.Settings.Name)
					}
					return tw.Flush()
				})
			})
		},
	}
}

func titleShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a title and its settings, secrets masked", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				var t operator.Title
				if err := c.Call(ctx, "titles/show", operator.TitleRequest{ID: args[0]}, &t); err != nil {
					return err
				}
				return print(cmd, t, func(w io.Writer) error {
					tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
					fmt.Fprintf(tw, "id\t%s\nfrom\t%s\npublisher\t%s\nplayers\t%d\n", t.ID, t.Source, t.Publisher, *t.Players)
					for _, f := range title.Fields() {
						fmt.Fprintf(tw, "%s\t%s\n", f.Key, shown(f.Value(&t.Settings)))
					}
					return tw.Flush()
				})
			})
		},
	}
}

// shown is the value of a setting in a table: lists by commas, records as JSON.
func shown(v any) string {
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		return fmt.Sprint(v)
	}
	var texts []string
	for i := range list.Len() {
		text := fmt.Sprint(list.Index(i))
		if b, err := json.Marshal(list.Index(i).Interface()); err == nil && list.Type().Elem().Kind() == reflect.Struct {
			text = string(b)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func titleSetCommand() *cobra.Command {
	var keys strings.Builder
	for _, f := range title.Fields() {
		fmt.Fprintf(&keys, "\n- `%s`: %s (%s)", f.Key, f.Doc, f.Type)
	}
	return &cobra.Command{
		Use: "set ID KEY=VALUE...", Short: "Change settings of a title", Args: cobra.MinimumNArgs(2),
		Long: "A list is separated by commas, or the key is given several times; it replaces the list that was\n" +
			"there. An empty value gives a setting its default. The keys:\n" + keys.String(),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings := map[string][]string{}
			for _, arg := range args[1:] {
				key, value, ok := strings.Cut(arg, "=")
				if !ok {
					return fmt.Errorf("%q is not KEY=VALUE", arg)
				}
				settings[key] = append(settings[key], value)
			}
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				var t operator.Title
				if err := c.Call(ctx, "titles/set", operator.SetRequest{ID: args[0], Settings: settings}, &t); err != nil {
					return err
				}
				return print(cmd, t, say("title %s changed", t.ID))
			})
		},
	}
}

func titleDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete a title with all its players", Args: cobra.ExactArgs(1),
		Long: "First no new players are let in, then all players go, then the title. A deletion that was cut off\n" +
			"goes on when it is started again; until then the title stays, with creation_disabled.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := title.CleanID(args[0])
			if err != nil {
				return err
			}
			if !yes {
				if err := confirm(cmd, id); err != nil {
					return err
				}
			}
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				p := newProgress(cmd.ErrOrStderr(), "players deleted", 0)
				total := operator.Deleted{}
				for !total.Done {
					var step operator.Deleted
					if err := c.Call(ctx, "titles/delete", operator.TitleRequest{ID: id}, &step); err != nil {
						return err
					}
					total.Players, total.Done = total.Players+step.Players, step.Done
					p.add(step.Players, 0)
				}
				p.end()
				return print(cmd, total, say("title %s deleted with %d players", id, total.Players))
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "Delete without asking.")
	return cmd
}

// confirm has the operator type the id of what is to be deleted.
func confirm(cmd *cobra.Command, id string) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "This deletes title %s with all its players. Type its id to go on: ", id)
	line, err := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 100)).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if strings.ToUpper(strings.TrimSpace(line)) != id {
		return fmt.Errorf("that is not %s; nothing was deleted", id)
	}
	return nil
}
