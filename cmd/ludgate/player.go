package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"ludgate/internal/player/operator"
	"ludgate/internal/server"
)

// playerCommand deals with players as wholes.
func playerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "player", Short: "Export, import and delete players",
		Long: "Works on the server that runs on the data directory, over a socket in it that only its owner can\n" +
			"open; while none runs, on the store itself.",
	}
	operatorFlags(cmd)
	cmd.AddCommand(playerExportCommand(), playerImportCommand(), playerDeleteCommand())
	return cmd
}

func playerExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export TITLE [FILE]", Short: "Write the players of a title as JSON lines", Args: cobra.RangeArgs(1, 2),
		Long: "One player a line, with all that is kept of it: account, password hash, player secret, data. Keep\n" +
			"the file as private as the data directory. Without FILE, or with -, to standard output. Players who\n" +
			"come or change meanwhile may be in it or not.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				if len(args) < 2 || args[1] == "-" {
					_, err := exportPlayers(ctx, c, args[0], cmd.OutOrStdout(), newProgress(io.Discard, "", 0))
					return err
				}
				count := 0
				err := writeNew(args[1], func(w io.Writer) (err error) {
					p := newProgress(cmd.ErrOrStderr(), "players exported", 0)
					defer p.end()
					count, err = exportPlayers(ctx, c, args[0], w, p)
					return err
				})
				if err != nil {
					return err
				}
				return print(cmd, operator.Count{Players: int64(count)}, say("%d players exported", count))
			})
		},
	}
}

// exportPlayers writes all players of a title, page by page.
func exportPlayers(ctx context.Context, c *server.Control, titleID string, w io.Writer, p *progress) (int, error) {
	total := 0
	for after := ""; ; {
		req := operator.ExportRequest{ID: titleID, After: after}
		page, count, last, err := exportPage(ctx, c, req)
		if err != nil || count == 0 {
			return total, err
		}
		if _, err := w.Write(page); err != nil {
			return total, err
		}
		total, after = total+count, last
		p.add(count, 0)
	}
}

func exportPage(ctx context.Context, c *server.Control, req operator.ExportRequest) (page []byte, count int, last string, err error) {
	page, header, err := c.Post(ctx, "players/export", req)
	if err != nil {
		return nil, 0, "", err
	}
	if count, err = strconv.Atoi(header.Get(operator.HeaderCount)); err != nil {
		return nil, 0, "", fmt.Errorf("the server's answer has no count: %w", err)
	}
	return page, count, header.Get(operator.HeaderLast), nil
}

// writeNew writes a private file that exists, whole, only when write succeeds. It
// overwrites nothing.
func writeNew(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already; choose another name", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // CreateTemp makes it 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		err = os.Rename(f.Name(), path)
	}
	return err
}

func playerImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import TITLE FILE", Short: "Store players from JSON lines", Args: cobra.ExactArgs(2),
		Long: "Reads what export writes; - is standard input. A line needs an id or something to sign in with, the\n" +
			"rest may be absent:\n\n" +
			"    {\"email\":\"ann@example.com\",\"display_name\":\"Ann\",\"password\":\"$argon2id$v=19$m=19456,t=2,p=1$...\"}\n\n" +
			"Members: id, account, origination, username, email, password (a PHC string of argon2id; plain\n" +
			"passwords are refused), display_name, streaming_id, streaming_name, custom_id, server_custom_id,\n" +
			"openids (connection, issuer, subject), avatar_url, player_secret, banned_until, created, last_login,\n" +
			"previous_login, parts. Lines that cannot be stored are reported by their numbers and hinder no\n" +
			"other; the command then fails in the end. What was stored stays: start an import that was cut off\n" +
			"again with --skip-existing.",
		RunE: func(cmd *cobra.Command, args []string) error {
			in, size, name := cmd.InOrStdin(), int64(0), "standard input"
			if args[1] != "-" {
				f, err := os.Open(args[1])
				if err != nil {
					return err
				}
				defer f.Close()
				if info, err := f.Stat(); err == nil {
					size = info.Size()
				}
				in, name = f, args[1]
			}
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				p := newProgress(cmd.ErrOrStderr(), "players imported", size)
				i := &importer{control: c, title: args[0], options: o, progress: p, name: name}
				begun := time.Now()
				err := i.run(ctx, in)
				p.end()
				if err != nil {
					return fmt.Errorf("%w; %d players were imported. Go on with --skip-existing", err, i.total.Imported)
				}
				done := "imported"
				if o.dryRun {
					done = "can be imported"
				}
				err = print(cmd, i.total, say("%d players %s, %d there already, %d refused, in %s", i.total.Imported, done, i.total.Skipped, i.total.Refused, time.Since(begun).Round(time.Millisecond)))
				if err == nil && i.total.Refused > 0 {
					err = errShown
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&o.skip, "skip-existing", false, "Pass over players who are there already.")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "Check every line and store nothing.")
	return cmd
}

func playerDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "delete TITLE ID", Short: "Delete a player with all that is theirs", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return operate(cmd, false, func(ctx context.Context, c *server.Control) error {
				if err := c.Call(ctx, "players/delete", operator.PlayerRequest{ID: args[0], Player: args[1]}, nil); err != nil {
					return err
				}
				return print(cmd, struct{}{}, say("player %s deleted", args[1]))
			})
		},
	}
}
