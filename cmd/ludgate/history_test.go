package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"

	"ludgate/internal/player"
	"ludgate/internal/player/history"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/store/postgres"
	"ludgate/internal/store/postgres/pgtest"
	"ludgate/internal/store/sqlite"
	"ludgate/internal/wire"
)

// The histories of concurrent callers of the real program, which is killed in
// between: see package history.
const (
	historySeedEnv = "LUDGATE_TEST_HISTORY_SEED" // a number; a failed test prints its own
	historyTimeEnv = "LUDGATE_TEST_HISTORY_TIME" // how long to go on with further histories; the CI lane sets 30s
)

const (
	historyTitle   = "AB12"
	historyCoin    = "CO"
	historyRounds  = 3   // lives of a server, all but the last ended by a kill
	worldCallers   = 8   // of one world
	mostWorlds     = 8   // so 8 to 64 callers
	callsPerRound  = 150 // of one caller, at most
	historyTimeout = time.Minute
)

// TestHistories: whatever 8 to 64 callers do to a few names at once, and however
// often the server is killed meanwhile, one order of the calls explains all
// answers, and what was acknowledged is there afterwards.
func TestHistories(t *testing.T) { histories(t, 1) }

// TestHistoriesOfTwoNodes: the same with two servers on one database, of which
// one is killed while the other goes on.
func TestHistoriesOfTwoNodes(t *testing.T) {
	if os.Getenv(pgtest.Env) == "" {
		t.Skipf("needs PostgreSQL: set %s", pgtest.Env)
	}
	histories(t, 2)
}

func histories(t *testing.T, nodes int) {
	seed := rand.Uint64N(1 << 32)
	if s := os.Getenv(historySeedEnv); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		mustf(t, err, "%s", historySeedEnv)
		seed = n
	}
	var long time.Duration
	if s := os.Getenv(historyTimeEnv); s != "" {
		d, err := time.ParseDuration(s)
		mustf(t, err, "%s", historyTimeEnv)
		long = d
	}
	for began := time.Now(); ; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { oneHistory(t, seed, nodes) })
		if t.Failed() || time.Since(began) >= long {
			return
		}
	}
}

// node is one server of a history, which may be a new process in each round.
type node struct {
	*process
	name, dir string
	caller    *history.Caller
}

func oneHistory(t *testing.T, seed uint64, count int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	nodes := startNodes(t, count)
	var worlds []*history.World
	for i := range 1 + rng.IntN(mostWorlds) {
		worlds = append(worlds, history.NewWorld(worldName(i), rng.Uint64()))
	}
	for range historyRounds {
		for _, n := range nodes {
			n.start(t)
		}
		rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		runRound(t, nodes, worlds, time.Duration(200+rng.IntN(600))*time.Millisecond)
		if t.Failed() {
			return
		}
	}
	nodes[0].start(t)
	calls, lost := 0, 0
	for i, w := range worlds {
		mustf(t, w.Look(t.Context(), nodes[i%len(nodes)].caller), "look at %s", worldName(i))
		for _, o := range w.History() {
			if calls++; o.Output.(history.Answer).Lost {
				lost++
			}
		}
	}
	began := time.Now()
	var checks sync.WaitGroup
	for i, w := range worlds {
		checks.Go(func() { checkHistory(t, worldName(i), w.History()) })
	}
	checks.Wait()
	t.Logf("%d callers, %d kills, %d calls, %d of them lost, checked in %v", worldCallers*len(worlds), historyRounds, calls, lost, time.Since(began).Round(time.Millisecond))
}

func worldName(i int) string { return "w" + string(rune('a'+i)) }

// runRound lets the callers of all worlds make their calls on all nodes, kills
// the first node after a while, and returns when everybody has noticed.
func runRound(t *testing.T, nodes []*node, worlds []*history.World, after time.Duration) {
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for _, w := range worlds {
		for client := range worldCallers {
			c := nodes[client%len(nodes)].caller
			callers.Go(func() {
				if err := w.Run(t.Context(), client, c, callsPerRound, stop); err != nil {
					t.Error(err)
				}
			})
		}
	}
	time.Sleep(after)
	nodes[0].kill()
	if len(nodes) > 1 { // the others go on, and meet what the dead one held
		time.Sleep(after / 2)
	}
	close(stop)
	callers.Wait()
	nodes[0].gone(t)
	for _, w := range worlds {
		w.Dead()
	}
}

// checkHistory holds the history of one world against the model.
func checkHistory(t *testing.T, name string, h []porcupine.Operation) {
	result, info := history.Check(h, historyTimeout)
	switch result {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Errorf("world %s: %d calls could not be checked in %v", name, len(h), historyTimeout)
	default:
		t.Errorf("world %s: no order of the calls explains the answers.\n%s", name, history.Explain(h, info))
		file := filepath.Join(t.ArtifactDir(), name+".html")
		if err := porcupine.VisualizePath(history.Model(), info, file); err == nil {
			t.Logf("drawn in %s, kept with -artifacts", file)
		}
	}
}

// startNodes starts servers on one store, with a title that has a secret key, a
// currency and users on the streaming platform.
func startNodes(t *testing.T, count int) []*node {
	var nodes []*node
	base := ""
	if os.Getenv(pgtest.Env) != "" {
		base = pgtest.URL(t)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: worldCallers * mostWorlds}, Timeout: 30 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	key, tokens := "", map[string]string{}
	for i := range count {
		n := &node{name: fmt.Sprintf("history-%d", i), dir: t.TempDir()}
		n.caller = &history.Caller{HTTP: client, Title: historyTitle, Coin: historyCoin, Tokens: tokens}
		if base != "" {
			u, err := url.Parse(base)
			mustf(t, err, "database")
			q := u.Query()
			q.Set("application_name", n.name) // by which gone finds its connections
			u.RawQuery = q.Encode()
			databases.Store(n.dir, u.String())
		}
		if i == 0 {
			key = titleSecret(t, n.dir, base)
		} else {
			copyKeys(t, nodes[0].dir, n.dir)
		}
		n.caller.Secret = key
		n.start(t)
		if nodes = append(nodes, n); i > 0 {
			continue
		}
		status, raw, err := n.caller.Post(t.Context(), "/Admin/AddVirtualCurrencyTypes", "",
			map[string]any{"VirtualCurrencies": []any{map[string]any{"CurrencyCode": historyCoin}}})
		if err != nil || status != 200 {
			t.Fatalf("currency: %d %s %v", status, raw, err)
		}
		for w := range mostWorlds {
			for _, id := range history.StreamingIDs(worldName(w)) {
				tokens[id] = n.token(id)
			}
		}
	}
	return nodes
}

// copyKeys gives a data directory the keys of another one: nodes of one
// installation share them.
func copyKeys(t *testing.T, from, to string) {
	t.Helper()
	from, to = filepath.Join(from, "keys"), filepath.Join(to, "keys")
	mustf(t, os.Mkdir(to, 0o700), "keys")
	files, err := os.ReadDir(from)
	mustf(t, err, "keys")
	for _, f := range files {
		if !f.Type().IsRegular() {
			continue
		}
		b, err := os.ReadFile(filepath.Join(from, f.Name()))
		mustf(t, err, "key")
		mustf(t, os.WriteFile(filepath.Join(to, f.Name()), b, 0o600), "key")
	}
}

// start starts the node's server, where it is not running.
func (n *node) start(t *testing.T) {
	t.Helper()
	if n.process == nil || n.dead() {
		n.process = start(t, n.dir, "dev", "--engine", "simulated", "--https", "off")
		n.caller.URL = n.http
	}
}

// dead reports whether the node's server has ended.
func (n *node) dead() bool { return len(n.done) > 0 }

// gone waits until nothing of a killed server is under way. The embedded store
// dies with it; a database may still finish what it was told.
func (n *node) gone(t *testing.T) {
	t.Helper()
	v, ok := databases.Load(n.dir)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	u, err := url.Parse(v.(string))
	mustf(t, err, "database")
	q := u.Query()
	q.Del("application_name")
	u.RawQuery = q.Encode()
	db, err := pgx.Connect(ctx, u.String())
	mustf(t, err, "connect to the database")
	defer db.Close(ctx)
	for left := 1; left > 0; time.Sleep(5 * time.Millisecond) {
		err := db.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, n.name).Scan(&left)
		mustf(t, err, "connections of %s", n.name)
	}
}

// token mints an access token of a user of the built-in streaming platform.
func (n *node) token(id string) string {
	status, body := n.call("POST", "/dev/streaming/token", fmt.Sprintf(`{"user_id":%q,"login":%q}`, id, "login"+id))
	text, _ := json.Marshal(body)
	for _, v := range body {
		if s, ok := v.(string); ok && status == 200 && strings.Count(s, "") > 20 {
			return s
		}
	}
	n.t.Fatalf("token: %d %s", status, text)
	return ""
}

// titleSecret gives the title of the histories a secret key, before any server
// runs on the store.
func titleSecret(t *testing.T, dir, database string) string {
	t.Helper()
	var st store.Store
	var err error
	if database == "" {
		st, err = sqlite.Open(t.Context(), dir, sqlite.Options{})
	} else {
		st, err = postgres.Open(t.Context(), database, postgres.Options{})
	}
	mustf(t, err, "store")
	defer st.Close()
	mustf(t, store.Migrate(t.Context(), st, player.Areas()...), "migrate")
	key, err := secret.LoadKey(filepath.Join(dir, "keys"), "secrets")
	mustf(t, err, "key")
	box, err := secret.NewBox(key, "player")
	mustf(t, err, "box")
	titles, err := title.Open(t.Context(), title.Options{
		Store: st, Box: box, Template: &title.Settings{}, Clock: time.Now, Log: slog.New(slog.DiscardHandler),
		Naming: func(string) *wire.Naming { return wire.Neutral },
	})
	mustf(t, err, "titles")
	defer titles.Close()
	word := ""
	mustf(t, titles.UpdateKeys(t.Context(), historyTitle, func(k *title.Keys) error {
		word = k.AddSecret("histories", time.Now())
		return nil
	}), "secret key")
	return word
}
