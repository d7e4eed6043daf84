package economy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludgate"
)

// held is an item as the model knows it.
type held struct {
	item, holder, group string
	uses                int32
	expires             int64 // 0: never
}

// TestInventoryAgainstModel makes random calls about one player and a character,
// lets time pass, and compares both inventories with a model's after each call.
func TestInventoryAgainstModel(t *testing.T) {
	f := newFixture(t)
	shop(f)
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := f.player("ABCDE")
		bob := p.character("Bob")
		model := map[string]*held{}
		type kind struct {
			uses    int32
			stack   bool
			seconds int64
			group   string
		}
		kinds := map[string]kind{"sword": {}, "potion": {uses: 3}, "arrow": {uses: 10, stack: true}, "shell": {uses: 1, stack: true},
			"boost": {seconds: 60}, "vip": {seconds: 100, group: "vip"}, "hour": {uses: 1, stack: true, seconds: 3600}}
		names := []string{"sword", "potion", "arrow", "shell", "boost", "vip", "hour"}
		gone := func() {
			for id, h := range model {
				if h.expires != 0 && h.expires <= f.now() {
					delete(model, id)
				}
			}
		}
		pick := func() string {
			ids := make([]string, 0, len(model)+1)
			for id := range model {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			return append(ids, "0000000000000000")[r.IntN(len(ids)+1)]
		}
		// grant is what a grant must do to the model; id is what the server said.
		grant := func(holder, name, id string) {
			k := kinds[name]
			var on *held
			oldest := "" // moves can bring a holder a second stack
			for id, h := range model {
				if k.stack && h.item == name && h.holder == holder && (on == nil || id < oldest) {
					on, oldest = h, id
				}
			}
			if on == nil {
				on = &held{item: name, holder: holder, group: k.group}
				if model[id] != nil {
					t.Fatalf("seed %d: %s for a new %s is not new", seed, id, name)
				}
				model[id] = on
			}
			on.uses += k.uses
			if k.seconds == 0 {
				return
			}
			end := max(on.expires, f.now())
			for _, h := range model {
				if k.group != "" && h.group == k.group && h.holder == holder {
					end = max(end, h.expires)
				}
			}
			on.expires = end + k.seconds*1000
			for _, h := range model {
				if k.group != "" && h.group == k.group && h.holder == holder {
					h.expires = on.expires
				}
			}
		}
		for step := range 60 {
			f.advance(time.Duration(r.Int64N(40_000)) * time.Millisecond)
			if r.IntN(15) == 0 {
				f.advance(time.Hour)
			}
			gone()
			holder, who := "", subject{"ABCDE", p.ID, ""}
			if r.IntN(2) == 0 {
				holder, who.character = bob, bob
			}
			now, id := f.now(), pick()
			h := model[id]
			mine := h != nil && h.holder == holder
			want := "" // the refusal that must come
			var err error
			what := ""
			switch r.IntN(6) {
			case 0, 1:
				ids := make([]string, 1+r.IntN(3))
				for i := range ids {
					ids[i] = names[r.IntN(len(names))]
				}
				what = "grant " + strings.Join(ids, " ")
				var out *GrantItemsResult
				if out, err = f.service.grantItems(t.Context(), who, "", "", ids, now); err == nil {
					for i, g := range out.ItemGrantResults {
						grant(holder, ids[i], g.ItemInstanceId)
					}
				}
			case 2:
				n := 1 + r.Int32N(6)
				what = fmt.Sprintf("consume %d", n)
				_, err = f.service.consume(t.Context(), who, id, n, now)
				switch {
				case !mine:
					want = "ItemNotFound"
				case h.uses < n:
					want = "NoRemainingUses"
				default:
					if h.uses -= n; h.uses == 0 {
						delete(model, id)
					}
				}
			case 3:
				n := r.Int32N(9) - 5
				what = fmt.Sprintf("modify %d", n)
				_, err = f.service.modifyUses(t.Context(), who, id, n, now)
				switch {
				case !mine:
					want = "ItemNotFound"
				case h.uses == 0:
					want = "InvalidItemProperties"
				default:
					if h.uses = max(h.uses+n, 0); h.uses == 0 {
						delete(model, id)
					}
				}
			case 4:
				to := bob
				if holder == bob {
					to = ""
				}
				what = "move"
				if err = f.service.move(t.Context(), "ABCDE", p.ID, holder, to, id, now); mine {
					h.holder = to
				} else {
					want = "ItemNotOwned"
				}
			default:
				what = "revoke"
				if err = f.service.revoke(t.Context(), who, id, now); mine {
					delete(model, id)
				} else {
					want = "ItemNotFound"
				}
			}
			if want == "" && err != nil || want != "" && !ludgate.IsCode(err, want) {
				t.Fatalf("seed %d step %d: %s of %s by %q: %v, want %q", seed, step, what, id, holder, err, want)
			}
			var expect, got []string
			for id, h := range model {
				expect = append(expect, fmt.Sprintf("%s %q %s x%d until %d", id, h.holder, h.item, h.uses, h.expires))
			}
			for _, character := range []string{"", bob} {
				out := must(f.service.inventory(t.Context(), subject{"ABCDE", p.ID, character}, "", now))(t)
				for _, it := range out.Inventory {
					uses, expires := int32(0), int64(0)
					if it.RemainingUses != nil {
						uses = *it.RemainingUses
					}
					if it.Expiration != "" {
						expires = must(time.Parse(time.RFC3339, it.Expiration))(t).UnixMilli()
					}
					got = append(got, fmt.Sprintf("%s %q %s x%d until %d", it.ItemInstanceId, character, it.ItemId, uses, expires))
				}
			}
			slices.Sort(expect)
			slices.Sort(got)
			if !slices.Equal(got, expect) {
				t.Fatalf("seed %d step %d: after %s of %s by %q\n got %s\nwant %s", seed, step, what, id, holder, strings.Join(got, "\n     "), strings.Join(expect, "\n     "))
			}
		}
	}
}
