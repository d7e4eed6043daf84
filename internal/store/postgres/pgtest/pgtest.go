// Package pgtest gives tests a PostgreSQL database.
//
// What it does is chosen by the environment variable LUDGATE_TEST_POSTGRES: not
// set, the tests skip; a URL, they use that database; "start", they start a
// server of their own from the installed programs (initdb and postgres), in a
// temporary directory and reachable through a socket there only. That server
// lives as long as the process of the tests and takes its directory with it.
package pgtest

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Env is the name of the environment variable.
const Env = "LUDGATE_TEST_POSTGRES"

// server is the one that this process has started, if it has.
var server = sync.OnceValues(start)

// URL gives the URL of an empty schema of a PostgreSQL database, which is dropped
// at the end of the test. It skips the test where there is no database to be had.
func URL(t testing.TB) string {
	t.Helper()
	base := os.Getenv(Env)
	switch base {
	case "":
		t.Skipf("needs PostgreSQL: set %s to a URL, or to \"start\" where its programs are installed", Env)
	case "start":
		var err error
		if base, err = server(); err != nil {
			t.Fatalf("start PostgreSQL: %v", err)
		}
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("%s is no URL", Env) // without its text, which may hold a password
	}
	schema := "test_" + strings.ToLower(rand.Text())
	run(t, base, "CREATE SCHEMA "+schema)
	t.Cleanup(func() { run(t, base, "DROP SCHEMA "+schema+" CASCADE") })
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

// run connects and runs one statement. It does not use the test's context, which
// has ended when the test is cleaned up.
func run(t testing.TB, base, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatalf("connect to the database of the tests: %v", err)
	}
	defer c.Close(ctx)
	if _, err := c.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
