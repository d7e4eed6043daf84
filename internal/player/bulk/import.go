package bulk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/title"
	"ludgate/internal/store"
)

// Bounds of one batch of an import.
const (
	MaxBatch = 1000     // lines
	MaxBytes = 32 << 20 // of all lines together
)

// ImportOptions say how players are imported.
type ImportOptions struct {
	Skip   bool // pass over players who are there already
	DryRun bool // check everything and store nothing
	First  int  // number of the first line in its file
}

// Report says what became of the lines of a batch.
type Report struct {
	Imported int     `json:"imported"`
	Skipped  int     `json:"skipped"`
	Faults   []Fault `json:"faults,omitzero"`
	// Claims are what the lines of a dry run would take. Nothing of it is stored,
	// so who sends several batches looks for doubles among them.
	Claims []Claim `json:"claims,omitzero"`
}

// Claim is the ids and names that a line would take, as hashes.
type Claim struct {
	Line int      `json:"line"`
	Keys []uint64 `json:"keys"`
}

// Fault is a line that was not imported.
type Fault struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Import stores the players in lines of JSON, empty lines passed over. A line
// that cannot be imported is a fault in the report and hinders no other. An error
// means that nothing was stored.
func (b *Bulk) Import(ctx context.Context, titleID string, lines []byte, o ImportOptions) (*Report, error) {
	t, ok := b.opt.Gate.Titles().Get(titleID)
	if !ok {
		return nil, ludgate.Errorf(ludgate.NotFound, "TitleNotFound", "There is no title %s.", titleID)
	}
	demands := account.Options{DuplicateNames: t.DuplicateNames, Limit: t.PlayerLimit}
	var players []*incoming
	var faults []Fault
	now, n := b.opt.Gate.Clock()(), o.First
	for line := range bytes.Lines(lines) {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			in, err := b.parse(t.ID, text, now)
			if err != nil {
				faults = append(faults, Fault{n, err.Error()})
			} else {
				in.line = n
				players = append(players, in)
			}
		}
		n++
		if n-o.First > MaxBatch {
			return nil, ludgate.Errorf(ludgate.TooLarge, "TooManyLines", "A batch has at most %d lines.", MaxBatch)
		}
	}
	if err := b.ensureCounted(ctx, t); err != nil {
		return nil, err
	}
	r, err := b.importAll(ctx, players, demands, o)
	if err != nil {
		return nil, err
	}
	r.Faults = append(r.Faults, faults...)
	slices.SortFunc(r.Faults, func(a, b Fault) int { return a.Line - b.Line })
	return r, nil
}

// ensureCounted counts the players of a title with a limit once in the life of
// the process, which creations with a limit rely on.
func (b *Bulk) ensureCounted(ctx context.Context, t *title.Title) error {
	if _, done := b.counted.Load(t.ID); done || t.PlayerLimit == 0 {
		return nil
	}
	err := b.store.Write(ctx, func(tx store.Tx) error { return account.Counted(tx, t.ID) })
	if err == nil {
		b.counted.Store(t.ID, true)
	}
	return err
}

// errDry undoes the transaction of a dry run.
var errDry = errors.New("bulk: dry run")

// importAll stores players: first as if nothing were in the way, which is nearly
// always so and needs no look at each name; and if something was, one by one.
func (b *Bulk) importAll(ctx context.Context, players []*incoming, demands account.Options, o ImportOptions) (*Report, error) {
	r := &Report{}
	if len(players) == 0 {
		return r, nil
	}
	for _, each := range []func(store.Tx, *incoming, account.Options, ImportOptions, *Report) error{b.plainly, b.carefully} {
		err := b.store.Write(ctx, func(tx store.Tx) error {
			*r = Report{}
			for _, in := range players {
				if err := each(tx, in, demands, o, r); err != nil {
					return err
				}
			}
			if o.DryRun {
				return errDry
			}
			return nil
		})
		var taken *account.TakenError
		switch {
		case errors.As(err, &taken), errors.Is(err, account.ErrDoubleID), errors.Is(err, account.ErrFull), errors.As(err, new(partFault)):
			continue // something was in the way
		case err != nil && !errors.Is(err, errDry):
			return nil, err
		}
		return r, nil
	}
	return nil, errors.New("bulk: an import met a name that it had found free")
}

// partFault is a dump that its part refused.
type partFault struct{ error }

// plainly stores a player, expecting that nothing is in the way.
func (b *Bulk) plainly(tx store.Tx, in *incoming, demands account.Options, o ImportOptions, r *Report) error {
	if err := account.Insert(tx, in.account, demands); err != nil {
		return err
	}
	for _, d := range in.parts {
		if err := d.Import(tx, in.account.Title, in.account.ID); err != nil {
			return partFault{err}
		}
	}
	r.Imported++
	if o.DryRun {
		r.Claims = append(r.Claims, in.claim(demands))
	}
	return nil
}

// claim is what a line takes.
func (in *incoming) claim(demands account.Options) Claim {
	c := Claim{Line: in.line}
	add := func(space, key string) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, space+"\x00"+key) // a hash takes everything
		c.Keys = append(c.Keys, h.Sum64())
	}
	if in.given {
		add("", in.account.ID)
	}
	for _, n := range in.account.Names(demands.DuplicateNames) {
		add(string(n.Space), n.Key)
	}
	return c
}

// carefully stores a player unless something is in the way, which it reports.
func (b *Bulk) carefully(tx store.Tx, in *incoming, demands account.Options, o ImportOptions, r *Report) error {
	there, err := b.there(tx, in, demands)
	switch {
	case err != nil:
		return err
	case there != "" && o.Skip:
		r.Skipped++
		return nil
	case there != "":
		r.Faults = append(r.Faults, Fault{in.line, fmt.Sprintf("The player %s exists already.", there)})
		return nil
	}
	var taken *account.TakenError
	err = account.Free(tx, in.account, demands)
	switch {
	case errors.As(err, &taken):
		r.Faults = append(r.Faults, Fault{in.line, takenText(taken.Names)})
		return nil
	case errors.Is(err, account.ErrFull):
		r.Faults = append(r.Faults, Fault{in.line, "The title has as many players as it may have."})
		return nil
	case err != nil:
		return err
	}
	refused := b.plainly(tx, in, demands, o, r)
	if !errors.As(refused, new(partFault)) {
		return refused
	}
	// All of the player or nothing. Had a statement failed, these would too.
	if err := b.remove(tx, in.account.Title, in.account.ID); err != nil {
		return err
	}
	r.Faults = append(r.Faults, Fault{in.line, refused.Error()})
	return nil
}

// there gives the id of the player that a line is about, if there is one already:
// by the id that the line gives, or where it gives none, by its names, if all
// belong to one player. A new id that exists by chance is replaced.
func (b *Bulk) there(tx store.Tx, in *incoming, demands account.Options) (string, error) {
	a := in.account
	if in.given {
		found, err := account.Exists(tx, a.Title, a.ID)
		if !found {
			return "", err
		}
		return a.ID, err
	}
	owners := map[string]bool{}
	owner := ""
	for _, name := range a.Names(demands.DuplicateNames) {
		var err error
		if owner, err = account.Owner(tx, a.Title, name); err != nil {
			return "", err
		}
		owners[owner] = true
	}
	if owner != "" && len(owners) == 1 {
		return owner, nil
	}
	return "", b.freshID(tx, a)
}

// freshID gives an account an id that nobody has.
func (b *Bulk) freshID(tx store.Tx, a *account.Account) error {
	for {
		exists, err := account.Exists(tx, a.Title, a.ID)
		if err != nil || !exists {
			return err
		}
		if err := b.reseal(a, b.newID()); err != nil {
			return err
		}
	}
}

// reseal gives an account another id, with which its secret is sealed anew.
func (b *Bulk) reseal(a *account.Account, id string) error {
	secret, err := b.opt.Gate.OpenSecret(a)
	if err != nil {
		return err
	}
	a.ID = id
	if secret != "" {
		a.Secret = b.opt.Gate.SealSecret(a, secret)
	}
	return nil
}

// takenText says which names belong to others, in the members of a line.
func takenText(names []account.Name) string {
	members := map[store.Space]string{
		store.SpaceEmail: "email", store.SpaceUsername: "username", store.SpaceDisplayName: "display_name", store.SpaceStreamingIdentity: "streaming_id",
		store.SpaceCustomID: "custom_id", store.SpaceServerCustomID: "server_custom_id", store.SpaceOpenID: "openids",
	}
	text := ""
	for i, n := range names {
		if i > 0 {
			text += ", "
		}
		text += members[n.Space]
	}
	return "Taken by another player: " + text + "."
}
