package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

// withSchema makes an empty schema in a PostgreSQL database, runs fn with the URL
// of a store in it, and drops it: keys of a run are its own, so its rows are of no
// use to another.
func withSchema(ctx context.Context, rawURL string, fn func(store string) error) (err error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("--store must be a postgres:// URL") // without its text, which may hold a password
	}
	schema := "ludgate_bench_" + mark()
	if err := execute(ctx, rawURL, "CREATE SCHEMA "+schema); err != nil {
		return fmt.Errorf("make a schema for the run: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if drop := execute(ctx, rawURL, "DROP SCHEMA "+schema+" CASCADE"); drop != nil {
			err = errors.Join(err, fmt.Errorf("drop schema %s, which the run made: %w", schema, drop))
		}
	}()
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return fn(u.String())
}

// execute connects and runs one statement.
func execute(ctx context.Context, rawURL, sql string) error {
	c, err := pgx.Connect(ctx, rawURL)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, sql)
	return errors.Join(err, c.Close(ctx))
}
