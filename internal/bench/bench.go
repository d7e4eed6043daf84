package bench

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"
)

// Options of a run.
type Options struct {
	// URL of a running server in development mode; when empty, the run starts
	// servers of its own on empty data directories and ends them.
	URL string
	// Data is the data directory of that server, for the workloads that need a
	// secret key of the title; when empty, they are left out.
	Data string
	// Store is the postgres:// URL of a database in which the servers started here
	// keep their records, in schemas that are dropped at the end; when empty, the
	// embedded store does.
	Store       string
	Title       string // "144" when empty
	Connections int    // 64 when 0
	Duration    time.Duration
	// Only runs the workloads whose name contains one of these words.
	Only []string
	// Players are created before the workloads, to measure on a full store.
	Players int
	Out     io.Writer
	Log     io.Writer // what the servers started here say
}

// errNoMore ends a workload whose prepared input is used up.
var errNoMore = errors.New("more operations than prepared input")

// run is one run of the workloads.
type run struct {
	opt     Options
	results []*result
	hashes  float64 // hashes per second of the hash alone
	notes   []string
}

// Run measures and prints the table.
func Run(ctx context.Context, opt Options) error {
	if opt.Connections == 0 {
		opt.Connections = 64
	}
	if opt.Duration == 0 {
		opt.Duration = 5 * time.Second
	}
	if opt.Title == "" {
		opt.Title = "144"
	}
	b := &run{opt: opt}
	fmt.Fprintf(opt.Out, "%d connections, %s a workload, %d processors shared with the load\n", opt.Connections, opt.Duration, runtime.GOMAXPROCS(0))
	if opt.URL != "" {
		u, err := url.Parse(opt.URL)
		if err != nil || u.Scheme != "http" || !loopback(u.Hostname()) {
			return fmt.Errorf("--url must be the http address of a development server on this machine")
		}
		if opt.Store != "" {
			return errors.New("--store is for servers that the run starts; --url has a store already")
		}
		k := &work{host: u.Host, title: opt.Title, mark: mark(), mint: mintThere, data: opt.Data}
		if err := b.measure(ctx, k); err != nil {
			return err
		}
		if err := b.runContainers(ctx, k); err != nil {
			return err
		}
		return b.print()
	}
	if opt.Store != "" {
		b.note("records in PostgreSQL, whose own processor time is not in the server's")
	}
	if err := b.withServer(ctx, "simulated", func(k *work) error { return b.measure(ctx, k) }); err != nil {
		return err
	}
	if b.wanted(putToRunning) {
		if err := b.withServer(ctx, "auto", func(k *work) error { return b.runContainers(ctx, k) }); err != nil {
			return err
		}
	}
	return b.print()
}

// loopback reports whether host is this machine: load goes nowhere else.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// wanted reports whether a workload is asked for.
func (b *run) wanted(name string) bool {
	return len(b.opt.Only) == 0 || slices.ContainsFunc(b.opt.Only, func(w string) bool { return strings.Contains(name, w) })
}

// workload is operations of one kind.
type workload struct {
	name string
	op   operation
}

// measure runs the workloads that need no real container.
func (b *run) measure(ctx context.Context, k *work) error {
	if err := b.fill(ctx, k); err != nil {
		return err
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	for _, w := range []workload{
		{"empty", k.empty}, {"sign-in known", k.signInKnown}, {"ticket check", k.ticketCheck},
		{"group read", k.groupRead}, {"group upsert", k.groupUpsert}, {"name check", k.nameCheck},
	} {
		if w.name != "empty" && !b.wanted(w.name) {
			continue
		}
		if err := b.measureOne(ctx, k, w); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		name string
		run  func(context.Context, *work) error
	}{{"sign-in new", b.signInNew}, {"register", b.registrations}} {
		if b.wanted(step.name) {
			if err := step.run(ctx, k); err != nil {
				return err
			}
		}
	}
	if err := b.game(ctx, k); err != nil {
		return err
	}
	b.noteMemory(k, "all of this but container groups")
	if !b.wanted("container PUT") {
		return nil
	}
	if err := b.puts(ctx, k); err != nil {
		return err
	}
	b.noteMemory(k, "container groups as well")
	return nil
}

// measureOne runs one workload.
func (b *run) measureOne(ctx context.Context, k *work, w workload) error {
	r, err := load(ctx, w.name, k.host, b.opt.Connections, b.opt.Duration, w.op)
	if err == nil {
		b.add(r)
	}
	return err
}

// game runs the workloads of players who have something.
func (b *run) game(ctx context.Context, k *work) error {
	all := []workload{
		{"sign-in with all info flags", k.signInFull}, {"update user data", k.updateData},
		{"leaderboard top 10", k.leaderboard}, {"purchase item", k.purchase},
	}
	all = slices.DeleteFunc(all, func(w workload) bool { return !b.wanted(w.name) })
	if len(all) == 0 {
		return nil
	}
	if k.data == "" {
		b.note("not measured, for want of a secret key of the title (--data): workloads of players who have something")
		return nil
	}
	if err := k.prepareGame(ctx); err != nil {
		return err
	}
	if err := k.checkFull(ctx); err != nil {
		return err
	}
	for _, w := range all {
		if err := b.measureOne(ctx, k, w); err != nil {
			return err
		}
	}
	return nil
}

// fill creates players until the store holds as many as asked.
func (b *run) fill(ctx context.Context, k *work) error {
	if b.opt.Players == 0 {
		return nil
	}
	start := time.Now()
	per := b.opt.Players / b.opt.Connections
	var wg sync.WaitGroup
	errs := make(chan error, b.opt.Connections)
	for w := range b.opt.Connections {
		wg.Go(func() {
			c, err := dial(ctx, k.host)
			for i := 0; err == nil && i < per && ctx.Err() == nil; i++ {
				var body string
				if body, err = k.signInBody(c, fmt.Sprintf("9%d%06d%s", w, i, digits(k.mark))); err == nil {
					err = c.json(request{"POST", "/Client/LoginWithStreamingPlatform", "", body}, nil, 200)
				}
			}
			if err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	b.note("%d players created beforehand in %s", per*b.opt.Connections, time.Since(start).Round(time.Second))
	return <-errs
}

// signInNew measures sign-ins that create, with tokens minted before.
func (b *run) signInNew(ctx context.Context, k *work) error {
	const perSecond = 12000 // more than the server does
	count := int(b.opt.Duration.Seconds()*perSecond)/b.opt.Connections + 1
	tokens := make([][]string, b.opt.Connections)
	var wg sync.WaitGroup
	errs := make(chan error, b.opt.Connections)
	for w := range tokens {
		wg.Go(func() {
			c, err := dial(ctx, k.host)
			for i := 0; err == nil && i < count; i++ {
				var body string
				body, err = k.signInBody(c, fmt.Sprintf("8%d%06d%s", w, i, digits(k.mark)))
				tokens[w] = append(tokens[w], body)
			}
			if err != nil {
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return err
	}
	r, err := load(ctx, "sign-in new", k.host, b.opt.Connections, b.opt.Duration, k.signInNew(tokens))
	if err != nil {
		return err
	}
	b.add(r)
	return nil
}

// registrations measures the hash alone, registering alone, and sign-ins while
// others register.
func (b *run) registrations(ctx context.Context, k *work) error {
	// The hash alone is measured before and after: machines slow down while they
	// are kept busy.
	before := hashRate(b.opt.Duration)
	reg := *k
	reg.mark = mark()
	r, err := load(ctx, "register", k.host, b.opt.Connections, b.opt.Duration, reg.register)
	if err != nil {
		return err
	}
	b.hashes = (before + hashRate(b.opt.Duration)) / 2
	r.note = fmt.Sprintf("%.0f %% of the hash alone (%.1f/s); the hash runs in a process of its own, not in this CPU", 100*r.perSecond()/b.hashes, b.hashes)
	b.add(r)
	reg.mark = mark()
	done := make(chan error, 1)
	bg, cancel := context.WithCancel(ctx)
	go func() {
		_, err := load(bg, "register", k.host, b.opt.Connections, 2*b.opt.Duration+4*time.Second, reg.register)
		done <- err
	}()
	time.Sleep(time.Second) // the queue of hashes is full by then
	err = func() error {
		for _, conns := range []int{4, b.opt.Connections} {
			r, err := load(ctx, fmt.Sprintf("sign-in known, %d beside %d registering", conns, b.opt.Connections), k.host, conns, b.opt.Duration, k.signInKnown)
			if err != nil {
				return err
			}
			r.cpuUnknown = true // the registrations' is in it
			b.add(r)
		}
		return nil
	}()
	cancel()
	if berr := <-done; err == nil && !errors.Is(berr, context.Canceled) {
		err = berr
	}
	return err
}

// puts measures durable PUTs of container groups.
func (b *run) puts(ctx context.Context, k *work) error {
	r, err := load(ctx, "container PUT", k.host, b.opt.Connections, b.opt.Duration, k.put)
	if err != nil {
		return err
	}
	r.note = "on the engine of the server under load"
	b.add(r)
	return nil
}

// putToRunning is a workload's name.
const putToRunning = "PUT to Running"

// runContainers measures the time from PUT to Running, one group at a time.
func (b *run) runContainers(ctx context.Context, k *work) error {
	if !b.wanted(putToRunning) {
		return nil
	}
	c, err := dial(ctx, k.host)
	if err != nil {
		return err
	}
	defer c.c.Close()
	var all []time.Duration
	before, cpuErr := readStats(ctx, k.host)
	start := time.Now()
	for i := 0; time.Since(start) < 2*b.opt.Duration && i < 200; i++ {
		d, err := k.putToRunning(c, 0, i)
		if err != nil {
			return fmt.Errorf("PUT to Running: %w", err)
		}
		if i > 0 { // the first unpacks the image
			all = append(all, d)
		}
	}
	r := &result{name: putToRunning, ops: len(all), elapsed: time.Since(start), note: "one connection, one container, time to Running; removal between is not in the times"}
	after, err := readStats(ctx, k.host)
	if cpuErr == nil && err == nil {
		r.serverCPU = time.Duration((after.CPUSeconds - before.CPUSeconds) * float64(time.Second))
	} else {
		r.cpuUnknown = true
	}
	if len(all) == 0 {
		return errors.New("PUT to Running: not one group ran in time")
	}
	slices.Sort(all)
	r.p50, r.p99 = all[len(all)/2], all[len(all)*99/100]
	b.add(r)
	return nil
}

// hashRate is how many passwords this machine hashes per second when it does
// nothing else, at the parameters of package password.
func hashRate(d time.Duration) float64 {
	workers := runtime.GOMAXPROCS(0)
	counts := make([]int, workers)
	start := time.Now()
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for time.Since(start) < d {
				argon2.IDKey([]byte("correct horse"), []byte("0123456789abcdef"), 2, 19<<10, 1, 32)
				counts[w]++
			}
		})
	}
	wg.Wait()
	n := 0
	for _, c := range counts {
		n += c
	}
	return float64(n) / time.Since(start).Seconds()
}

// note adds a line below the table.
func (b *run) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

func (b *run) add(r *result) {
	b.results = append(b.results, r)
	fmt.Fprintf(b.opt.Out, "  %-44s %9.0f/s\n", r.name, r.perSecond())
}

// mark makes names of a run its own.
func mark() string {
	var m [4]byte
	_, _ = rand.Read(m[:]) // never fails
	return hex.EncodeToString(m[:])
}
