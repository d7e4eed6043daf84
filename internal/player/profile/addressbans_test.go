package profile

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
	"ludgate/internal/store/storetest"
	"ludgate/internal/wire"
)

// asking is a store that counts what is asked of it, and can fail.
type asking struct {
	store.Store
	asked atomic.Int64
	deaf  bool // hears no signals
	fails atomic.Bool
}

func (c *asking) Read(ctx context.Context, fn func(store.Tx) error) error {
	if c.fails.Load() {
		return errors.New("no connection")
	}
	return c.Store.Read(ctx, func(tx store.Tx) error {
		t := &countingTx{Tx: tx}
		defer func() { c.asked.Add(int64(t.n)) }()
		return fn(t)
	})
}

func (c *asking) Watch(ctx context.Context, topic string) <-chan struct{} {
	if !c.deaf {
		return c.Store.Watch(ctx, topic)
	}
	ch := make(chan struct{})
	context.AfterFunc(ctx, func() { close(ch) })
	return ch
}

// TestKeepOutAsksNothing: a sign-in that nothing speaks against costs no read,
// also where other addresses of the title are banned.
func TestKeepOutAsksNothing(t *testing.T) {
	f := newNeutral(t)
	a := f.player("ABCDE", account.Account{})
	f.ban(f.player("ABCDE", account.Account{}), obj{"IPAddress": "192.0.2.7"})
	asked := func(player *account.Account, addr string) (n int, err error) {
		f.read(func(tx store.Tx) error {
			t := &countingTx{Tx: tx}
			err = f.service.KeepOut(t, "ABCDE", player, netip.MustParseAddr(addr), f.Clock.Now().UnixMilli())
			n = t.n
			return nil
		})
		return n, err
	}
	for _, player := range []*account.Account{nil, a.Account} {
		if n, err := asked(player, "192.0.2.8"); n != 0 || err != nil {
			t.Errorf("asked %d times: %v", n, err)
		}
		if n, err := asked(player, "::ffff:192.0.2.7"); n != 1 || err == nil {
			t.Errorf("banned address: asked %d times: %v", n, err)
		}
	}
	banned := *a.Account
	banned.BannedUntil = f.Clock.Now().Add(time.Hour).UnixMilli()
	if n, err := asked(&banned, "192.0.2.8"); n != 1 || err == nil {
		t.Errorf("banned by the account alone: asked %d times: %v", n, err)
	}
}

// TestAddressBansElsewhere: another node knows of a ban of an address, of its end
// by every way, and of a player's who is removed or imported, within two seconds;
// so does one that hears no signals.
func TestAddressBansElsewhere(t *testing.T) {
	for what, deaf := range map[string]bool{"heard": false, "deaf": true} {
		t.Run(what, func(t *testing.T) {
			f := newNeutral(t)
			other := open(t, call.NewGate(call.Options{Store: &asking{Store: f.Store, deaf: deaf}, Clock: f.Clock.Now, Log: discard()}), Options{})
			addr := netip.MustParseAddr("192.0.2.7")
			wait := func(step string, want bool) {
				t.Helper()
				for end := time.Now().Add(10 * time.Second); other.addresses.banned("ABCDE", addr, f.Clock.Now().UnixMilli()) != want; {
					if time.Now().After(end) {
						t.Fatalf("%s: not known", step)
					}
					time.Sleep(time.Millisecond)
				}
				if other.addresses.banned("20CA2", addr, 0) {
					t.Fatalf("%s: banned in another title", step)
				}
			}
			a := f.player("ABCDE", account.Account{})
			here := func(step string, want bool) {
				t.Helper()
				if f.service.addresses.banned("ABCDE", addr, f.Clock.Now().UnixMilli()) != want {
					t.Fatalf("%s: this node does not know it when it answers", step)
				}
				wait(step, want)
			}
			id := f.ban(a, obj{"IPAddress": "192.0.2.7"})
			here("banned", true)
			f.ok(f.server("/Server/UpdateBans", obj{"Bans": []obj{{"BanId": id, "IPAddress": ""}}}))
			here("address taken away", false)
			f.ok(f.server("/Server/UpdateBans", obj{"Bans": []obj{{"BanId": id, "IPAddress": "192.0.2.7"}}}))
			here("address added", true)
			f.ok(f.server("/Server/RevokeBans", obj{"BanIds": []string{id}}))
			here("revoked", false)
			f.ok(f.server("/Server/UpdateBans", obj{"Bans": []obj{{"BanId": id, "Active": true, "Expires": "2026-03-04T06:06:07Z"}}}))
			here("in force again", true)

			var dump *Dump
			f.write(func(tx store.Tx) (err error) {
				if dump, err = f.service.Export(tx, "ABCDE", a.ID); err != nil {
					return err
				}
				return f.service.Delete(tx, "ABCDE", a.ID)
			})
			wait("removed", false)
			f.write(func(tx store.Tx) error { return f.service.Import(tx, "ABCDE", a.ID, dump) })
			wait("imported", true)
			f.Clock.Advance(2 * time.Hour)
			if other.addresses.banned("ABCDE", addr, f.Clock.Now().UnixMilli()) {
				t.Error("banned beyond the end")
			}
		})
	}
}

// TestAddressBansInTime: within two seconds with and without signals, and after
// trouble with the store, in which what is known stays in force; where nothing
// changes, a node reads one row a second.
func TestAddressBansInTime(t *testing.T) {
	for what, deaf := range map[string]bool{"heard": false, "deaf": true} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &asking{Store: storetest.OpenEmbedded(t, account.Area, title.Area, Area), deaf: deaf}
				g := call.NewGate(call.Options{Store: st, Clock: time.Now, Log: discard()})
				b, err := openAddressBans(t.Context(), g)
				if err != nil {
					t.Fatal(err)
				}
				defer b.close()
				ban := func(address string) {
					t.Helper()
					err := st.Write(t.Context(), func(tx store.Tx) error {
						one := &Ban{ID: address, Player: "66A3F00112345678", Expires: account.Forever, Address: address, Active: true}
						if err := one.add(tx, "ABCDE"); err != nil {
							return err
						}
						return addressesChanged(tx)
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				known := func(address string) bool {
					return b.banned("ABCDE", netip.MustParseAddr(address), time.Now().UnixMilli())
				}
				within := 200 * time.Millisecond
				if deaf {
					within = 1500 * time.Millisecond
				}
				time.Sleep(777 * time.Millisecond)
				ban("192.0.2.7")
				time.Sleep(within)
				synctest.Wait()
				if !known("192.0.2.7") || known("192.0.2.8") {
					t.Error("not known in time")
				}
				st.fails.Store(true)
				ban("192.0.2.8")
				time.Sleep(5 * time.Second)
				if !known("192.0.2.7") || known("192.0.2.8") {
					t.Error("not as before the trouble")
				}
				st.fails.Store(false)
				time.Sleep(within + time.Second)
				synctest.Wait()
				if !known("192.0.2.8") {
					t.Error("not known after the trouble")
				}
				before := st.asked.Load()
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if n := st.asked.Load() - before; n > 11 {
					t.Errorf("%d queries in ten quiet seconds", n)
				}
			})
		})
	}
}

// TestAddressBansAtStart: a node does not start without knowing who is banned.
func TestAddressBansAtStart(t *testing.T) {
	f := newFixture(t, wire.Neutral, nil)
	f.ban(f.player("ABCDE", account.Account{}), obj{"IPAddress": "192.0.2.7"})
	st := &asking{Store: f.Store}
	g := call.NewGate(call.Options{Store: st, Clock: f.Clock.Now, Log: discard()})
	st.fails.Store(true)
	if _, err := Open(t.Context(), g, Options{}); err == nil {
		t.Error("started")
	}
	st.fails.Store(false)
	s := open(t, g, Options{})
	if !s.addresses.banned("ABCDE", netip.MustParseAddr("192.0.2.7"), f.Clock.Now().UnixMilli()) {
		t.Error("not known at the start")
	}
}

// BenchmarkAddressBanned is what a sign-in pays, beside very many banned addresses.
func BenchmarkAddressBanned(b *testing.B) {
	for _, n := range []int{0, 1, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := map[titleAddress]int64{}
			addr := netip.MustParseAddr("10.0.0.1")
			for range n {
				addr = addr.Next()
				m[titleAddress{"ABCDE", addr}] = 1
			}
			bans := &addressBans{}
			bans.until.Store(&m)
			from := netip.MustParseAddr("192.0.2.7")
			b.ReportAllocs()
			for b.Loop() {
				if bans.banned("ABCDE", from, 0) {
					b.Fatal("banned")
				}
			}
		})
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
