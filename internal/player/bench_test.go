//go:build unix

package player

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludgate/internal/password"
	"ludgate/internal/wire"
)

// emptyRoute is a call that does nothing: what the edge alone costs.
var emptyRoute = wire.Route{Surface: wire.Player, Method: http.MethodPost, Path: "/Client/Empty",
	Handler: func(context.Context, *wire.Request) (*wire.Reply, error) { return wire.OK(struct{}{}), nil }}

// bench is a server and its load generator.
type bench struct {
	*fixture
	*generator
	dir  string
	addr string
}

// newBench starts a server whose streaming platform is the generator's or, with
// own, in the server's process as in development mode.
func newBench(b *testing.B, hasher Passwords, own bool) *bench {
	x := &bench{dir: b.TempDir()}
	x.generator = startGenerator(b, x.dir)
	c := newClock()
	c.at.Store(time.Now().UnixMilli()) // the generator's tokens live by the real time
	s := setup{dir: x.dir, clock: c, edge: []wire.Route{emptyRoute}, hasher: hasher}
	if !own {
		s.platform = x.generator.platform
	}
	x.fixture = newFixture(b, s)
	x.addr = strings.TrimPrefix(x.url, "http://")
	return x
}

// measure runs b.N requests of a kind over 64 connections and reports what they
// cost the server.
func (x *bench) measure(b *testing.B, kind string) {
	b.Helper()
	o := loadOrder{Addr: x.addr, Kind: kind, Count: b.N, Conns: 64, First: int(x.count("players")) + 1_000_000}
	switch kind {
	case "known", "full":
		o.First = 0
		x.run(b, loadOrder{Addr: x.addr, Kind: "known", Count: knownUsers, Conns: 1})
		if kind == "full" {
			x.fill()
		}
	case "ticket":
		o.Ticket = x.proofOf("42").session
	}
	before := cpuTime(syscall.RUSAGE_SELF)
	b.ResetTimer()
	r := x.run(b, o)[0]
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(syscall.RUSAGE_SELF)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/r.Seconds, "req/s")
	b.ReportMetric(r.P50, "p50-ms")
	b.ReportMetric(r.P99, "p99-ms")
}

// fill gives every known player 20 statistics, 20 keys of data and 50 items.
func (x *bench) fill() {
	server := x.server("ABCDE")
	x.result(x.call("/Admin/AddVirtualCurrencyTypes", server, obj{"VirtualCurrencies": []obj{{"CurrencyCode": "GC"}}}))
	x.result(x.call("/Admin/SetCatalogItems", server, obj{"CatalogVersion": "1", "SetAsDefaultCatalog": true, "Catalog": []obj{{"ItemId": "sword"}, {"ItemId": "potion"}}}))
	statistics, data, items := []obj{}, obj{}, []string{}
	for i := range 20 {
		statistics = append(statistics, obj{"StatisticName": fmt.Sprint("score", i), "Value": i})
		data[fmt.Sprint("key", i)] = "a value of forty characters, as many are"
		x.result(x.call("/Server/SetTitleData", server, obj{"Key": fmt.Sprint("key", i%10), "Value": "a value of the title"}))
	}
	for range 25 {
		items = append(items, "sword", "potion")
	}
	for i := range knownUsers {
		id := x.idOf(x.result(x.signIn(obj{"TitleId": "ABCDE", "AccessToken": x.token(strconv.Itoa(i), fmt.Sprint("user", i))})))
		x.result(x.call("/Server/UpdatePlayerStatistics", server, obj{"PlatformId": id, "Statistics": statistics}))
		x.result(x.call("/Server/UpdateUserData", server, obj{"PlatformId": id, "Data": data}))
		x.result(x.call("/Server/GrantItemsToUser", server, obj{"PlatformId": id, "ItemIds": items}))
	}
}

// BenchmarkCalls puts the calls beside an empty handler on the same edge: the
// ratios of cpu-µs/op are what the targets are about. Run it with a fixed number
// of requests, -benchtime 50000x.
func BenchmarkCalls(b *testing.B) {
	x := newBench(b, nil, false)
	for _, kind := range []string{"empty", "known", "full", "creating", "ticket"} {
		b.Run(kind, func(b *testing.B) { x.measure(b, kind) })
	}
	x = newBench(b, nil, true)
	b.Run("creating-own-platform", func(b *testing.B) { x.measure(b, "creating") })
}

// BenchmarkRegister is registration alone, to be put beside the hash alone
// (BenchmarkCeiling of package password). What the helper needs is not in
// cpu-µs/op but in hash-cpu-µs/op.
func BenchmarkRegister(b *testing.B) {
	h := password.New(password.Options{MaxWait: time.Minute})
	x := newBench(b, h, false)
	x.measure(b, "register")
	before := cpuTime(syscall.RUSAGE_CHILDREN)
	h.Close() // only now is the helper's time known
	b.ReportMetric(float64((cpuTime(syscall.RUSAGE_CHILDREN)-before).Microseconds())/float64(b.N), "hash-cpu-µs/op")
}

// BenchmarkKnownWhileRegistering is what 4 clients that sign in by token see
// while 64 others register. Run it with -benchtime 10000x.
func BenchmarkKnownWhileRegistering(b *testing.B) {
	h := password.New(password.Options{MaxWait: time.Minute})
	defer h.Close()
	x := newBench(b, h, false)
	x.run(b, loadOrder{Addr: x.addr, Kind: "known", Count: knownUsers, Conns: 1})
	x.run(b, loadOrder{Addr: x.addr, Kind: "register", Count: 4, Conns: 4})
	registered := x.count("players")
	b.ResetTimer()
	r := x.run(b,
		loadOrder{Addr: x.addr, Kind: "known", Count: b.N, Conns: 4},
		loadOrder{Addr: x.addr, Kind: "register", Count: 100_000, Conns: 64, First: 1_000_000})
	b.StopTimer()
	b.ReportMetric(float64(b.N)/r[0].Seconds, "req/s")
	b.ReportMetric(r[0].P50, "p50-ms")
	b.ReportMetric(r[0].P99, "p99-ms")
	b.ReportMetric(float64(x.count("players")-registered)/r[0].Seconds, "registrations/s")
}
