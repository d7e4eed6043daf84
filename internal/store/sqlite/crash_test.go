package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ludgate/internal/store"
	"ludgate/internal/store/sqlite"
)

// The crash test kills a process that writes, again and again on one data
// directory, and looks at what the next one finds. The process is this test
// binary, started anew with these set.
const (
	crashDirEnv    = "LUDGATE_TEST_CRASH_DIR"
	crashRunEnv    = "LUDGATE_TEST_CRASH_RUN"    // a word that makes the run's keys its own
	crashRoundsEnv = "LUDGATE_TEST_CRASH_ROUNDS" // how often to kill; the CI lane sets 50 or more
)

const (
	crashCallers       = 32
	crashDefaultRounds = 8
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirEnv); dir != "" {
		crashChild(dir, os.Getenv(crashRunEnv))
	}
	os.Exit(m.Run())
}

var crashArea = store.Area{Name: "crash", Dir: "sql", FS: fstest.MapFS{
	"sql/0001_account.sql": {Data: []byte("CREATE TABLE account (id TEXT PRIMARY KEY, body TEXT NOT NULL)\n--;\nCREATE TABLE counter (id TEXT PRIMARY KEY, n BIGINT NOT NULL)")},
}}

var (
	putAccount  = store.NewStmt("put_account", `INSERT INTO account (id, body) VALUES ($1, $2)`)
	setCounter  = store.NewStmt("set_counter", `INSERT INTO counter (id, n) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = excluded.n`)
	accountIDs  = store.NewStmt("account_ids", `SELECT id FROM account`)
	claimOwners = store.NewStmt("claim_owners", `SELECT owner, count(*) FROM ledger GROUP BY owner`)
	counters    = store.NewStmt("counters", `SELECT id, n FROM counter`)
	integrity   = store.NewStmt("integrity", `PRAGMA integrity_check`)
)

var crashSpaces = []store.Space{store.SpaceEmail, store.SpaceUsername, store.SpaceDisplayName}

var errChangedMind = errors.New("the caller changed its mind")

// crashChild writes until it is killed. For every Write that was acknowledged it
// prints a line, "account ID" or "counter ID N", with one write(2) each. A small
// log limit makes it checkpoint and restart the log all the time.
func crashChild(dir, run string) {
	ctx := context.Background()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	st, err := sqlite.Open(ctx, dir, sqlite.Options{WALLimit: 128 << 10})
	if err != nil {
		fail(err)
	}
	if err := store.Migrate(ctx, st, crashArea); err != nil {
		fail(err)
	}
	body := strings.Repeat("b", 400)
	for caller := range crashCallers {
		go func() {
			counter := fmt.Sprintf("%s-%d", run, caller)
			for i := 0; ; i++ {
				id, line := fmt.Sprintf("%s-%d-%d", run, caller, i), ""
				err := st.Write(ctx, func(tx store.Tx) error {
					if i%5 == 4 {
						line = fmt.Sprintf("counter %s %d\n", counter, i)
						_, err := tx.Exec(setCounter, counter, int64(i))
						return err
					}
					line = "account " + id + "\n"
					for _, space := range crashSpaces {
						if err := store.Claim(tx, space, "title", id, id); err != nil {
							return err
						}
					}
					if i%5 == 2 {
						return errChangedMind // with the claims made, without the record
					}
					_, err := tx.Exec(putAccount, id, body)
					return err
				})
				switch {
				case err == nil:
					if _, err := os.Stdout.WriteString(line); err != nil {
						fail(err)
					}
				case !errors.Is(err, errChangedMind):
					fail(err)
				}
			}
		}()
	}
	select {}
}

func TestKilledAtAnyMoment(t *testing.T) {
	rounds := crashDefaultRounds
	if s := os.Getenv(crashRoundsEnv); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil || rounds < 1 {
			t.Fatalf("%s is %q, want a number", crashRoundsEnv, s)
		}
	}
	dir := t.TempDir()
	acked := crashState{accounts: map[string]bool{}, counters: map[string]int64{}}
	for round := range rounds {
		// Most are killed while they write, some while they open the store and
		// recover what the last one left.
		after := time.Duration(rand.IntN(60_000)) * time.Microsecond
		crashRound(t, dir, fmt.Sprintf("r%d", round), round%5 == 4, after, &acked)
		if t.Failed() {
			t.Fatalf("round %d, killed after %v", round, after)
		}
	}
	t.Logf("%d kills, %d acknowledged accounts, all there", rounds, len(acked.accounts))
	if len(acked.accounts) == 0 {
		t.Error("no write was ever acknowledged, so nothing was shown")
	}
}

// crashState is what the children were told is durable.
type crashState struct {
	accounts map[string]bool
	counters map[string]int64
}

// crashRound runs a child, kills it, and holds the store against what it printed.
func crashRound(t *testing.T, dir, run string, early bool, after time.Duration, acked *crashState) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), crashDirEnv+"="+dir, crashRunEnv+"="+run)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill() // in case the test ends before it kills
	lines := bufio.NewReader(out)
	if !early {
		if _, err := lines.Peek(1); err != nil {
			t.Errorf("the child wrote nothing: %v", err)
		}
	}
	// Read beside the wait, so that a full pipe does not hold the child up.
	text := make(chan string, 1)
	go func() {
		all, err := io.ReadAll(lines)
		if err != nil {
			t.Errorf("read what the child printed: %v", err)
		}
		text <- string(all)
	}()
	time.Sleep(after)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	acked.add(t, <-text)
	if err := cmd.Wait(); err == nil || stderr.Len() > 0 {
		t.Errorf("the child was not killed but ended: %v: %s", err, stderr.String())
	}
	st, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	if err != nil {
		t.Fatalf("open after the kill: %v", err)
	}
	defer st.Close()
	if err := store.Migrate(t.Context(), st, crashArea); err != nil {
		t.Fatalf("migrate after the kill: %v", err)
	}
	acked.check(t, st)
}

// add notes the lines that a child printed, all whole.
func (c *crashState) add(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 2 && words[0] == "account":
			c.accounts[words[1]] = true
		case len(words) == 3 && words[0] == "counter":
			n, err := strconv.ParseInt(words[2], 10, 64)
			if err != nil {
				t.Fatalf("the child printed %q", line)
			}
			c.counters[words[1]] = n
		default:
			t.Fatalf("the child printed %q", line)
		}
	}
}

// check holds a store against what was acknowledged: nothing of it is missing,
// and every account has its three claims, every claim its account.
func (c *crashState) check(t *testing.T, st store.Store) {
	t.Helper()
	err := st.Read(t.Context(), func(tx store.Tx) error {
		there := map[string]bool{}
		if err := tx.Query(accountIDs, func(r store.Row) error { there[r.Text(0)] = true; return nil }); err != nil {
			return err
		}
		for id := range c.accounts {
			if !there[id] {
				t.Errorf("account %s was acknowledged and is gone", id)
			}
		}
		claims := map[string]int64{}
		if err := tx.Query(claimOwners, func(r store.Row) error { claims[r.Text(0)] = r.Int(1); return nil }); err != nil {
			return err
		}
		for id := range there {
			if claims[id] != int64(len(crashSpaces)) {
				t.Errorf("account %s has %d claims, want %d", id, claims[id], len(crashSpaces))
			}
		}
		for id := range claims {
			if !there[id] {
				t.Errorf("claims of %s have no account", id)
			}
		}
		have := map[string]int64{}
		if err := tx.Query(counters, func(r store.Row) error { have[r.Text(0)] = r.Int(1); return nil }); err != nil {
			return err
		}
		for id, n := range c.counters {
			if have[id] < n {
				t.Errorf("counter %s is %d, %d was acknowledged", id, have[id], n)
			}
		}
		return tx.Query(integrity, func(r store.Row) error {
			if r.Text(0) != "ok" {
				t.Errorf("integrity: %s", r.Text(0))
			}
			return nil
		})
	})
	if err != nil {
		t.Errorf("read after the kill: %v", err)
	}
}
