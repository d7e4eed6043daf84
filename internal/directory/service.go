package directory

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this service.
var Area = store.Area{Name: "directory", FS: files, Dir: "sql/migrations"}

var (
	statements = store.Statements(files, "sql")
	getStmt    = statements.Get("get")
	insertStmt = statements.Get("insert")
	updateStmt = statements.Get("update")
	deleteStmt = statements.Get("delete")
)

// Options of a Service.
type Options struct {
	Store store.Store
	// Clock is time.Now when nil.
	Clock ludgate.Clock
	// MailDomain stands behind the @ of unified groups' addresses;
	// "ludgate.internal" when empty. A group keeps the address it was given.
	MailDomain string
}

// Service keeps the groups. It is safe for concurrent use. Every operation asks
// package access for the principal of its context first; groups belong to that
// principal's tenant.
type Service struct {
	store  store.Store
	clock  ludgate.Clock
	domain string
}

// New makes a Service. Its store must have the schema of [Area].
func New(opt Options) (*Service, error) {
	if opt.Store == nil {
		return nil, errors.New("directory: a store is needed")
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.MailDomain == "" {
		opt.MailDomain = "ludgate.internal"
	}
	return &Service{store: opt.Store, clock: opt.Clock, domain: opt.MailDomain}, nil
}

// body reads the body of a request; an operation calls it once the caller may
// be told what is wrong with it.
type body func(*Input) error

// create makes a group.
func (s *Service) create(ctx context.Context, read body, strict bool) (*Group, error) {
	if err := access.CreateGroups(ctx, strict); err != nil {
		return nil, err
	}
	var in Input
	if err := read(&in); err != nil {
		return nil, err
	}
	if err := in.authorize(ctx, nil, strict); err != nil {
		return nil, err
	}
	g, err := in.create(strict)
	if err != nil {
		return nil, err
	}
	tenant := tenantOf(ctx)
	s.born(g, ludgate.NewGUID(), s.clock())
	err = s.store.Write(ctx, func(tx store.Tx) error { return insert(tx, tenant, g) })
	if err != nil {
		return nil, fmt.Errorf("create a group: %w", err)
	}
	return g, nil
}

// outcome is what became of a group in a patch.
type outcome struct {
	group   *Group
	created bool
	mailbox bool // the request named properties of the single read
}

// patch changes a group. With upsert, a group that is named by uniqueName and
// does not exist is made.
func (s *Service) patch(ctx context.Context, k key, read body, upsert, strict bool) (outcome, error) {
	if err := access.WriteGroups(ctx); err != nil {
		return outcome{}, err
	}
	var in Input
	if err := read(&in); err != nil {
		return outcome{}, err
	}
	if k.byName && upsert {
		if err := in.takeName(k.name); err != nil {
			return outcome{}, err
		}
	}
	var out outcome
	tenant, id, now := tenantOf(ctx), ludgate.NewGUID(), s.clock()
	err := s.store.Write(ctx, func(tx store.Tx) error {
		out = outcome{mailbox: len(in.mailbox(null)) > 0}
		k, taken, err := resolve(tx, tenant, k)
		if err != nil {
			return err
		}
		old, text, err := load(tx, tenant, k)
		switch {
		case err != nil:
			return err
		case old != nil:
			out.group, err = s.change(ctx, tx, tenant, &in, old, text, strict)
			return err
		case !upsert || !k.byName:
			return notFound(k)
		case taken: // by a group that was deleted
			return conflict("uniqueName")
		}
		if err := in.authorize(ctx, nil, strict); err != nil {
			return err
		}
		g, err := in.create(strict)
		if err != nil {
			return err
		}
		s.born(g, id, now)
		out.group, out.created = g, true
		return insert(tx, tenant, g)
	})
	if err != nil {
		return outcome{}, fmt.Errorf("change a group: %w", err)
	}
	return out, nil
}

// takeName gives an upsert the uniqueName of its path. A body that names another
// contradicts itself.
func (in *Input) takeName(name string) error {
	if in.UniqueName.presence != given {
		in.UniqueName = property[string]{given, name}
		return nil
	}
	if canonicalUniqueName(in.UniqueName.value) != canonicalUniqueName(name) {
		return invalid("uniqueName", "It must be the uniqueName of the path.")
	}
	return nil
}

// change applies a request to a group that exists; text is its stored record.
func (s *Service) change(ctx context.Context, tx store.Tx, tenant string, in *Input, old *Group, text string, strict bool) (*Group, error) {
	if err := in.authorize(ctx, old, strict); err != nil {
		return nil, err
	}
	g, err := in.update(old, strict)
	if err != nil {
		return nil, err
	}
	if g.UniqueName != old.UniqueName {
		if err := claim(tx, store.SpaceGroupUniqueName, tenant, canonicalUniqueName(g.UniqueName), g.ID, "uniqueName"); err != nil {
			return nil, err
		}
	}
	if g.unified() && g.MailNickname != old.MailNickname {
		g.Mail = s.address(g)
		was, is := canonicalMailNickname(old.MailNickname), canonicalMailNickname(g.MailNickname)
		if err := claim(tx, store.SpaceMailNickname, tenant, is, g.ID, "mailNickname"); err != nil {
			return nil, err
		}
		if was != is {
			if err := store.Release(tx, store.SpaceMailNickname, tenant, was, g.ID); err != nil {
				return nil, err
			}
		}
	}
	after, err := encode(g)
	if err != nil || after == text {
		return g, err
	}
	_, err = tx.Exec(updateStmt, g.ID, tenant, after)
	return g, err
}

// get reads a group.
func (s *Service) get(ctx context.Context, k key) (*Group, error) {
	if err := access.ReadGroups(ctx); err != nil {
		return nil, err
	}
	var g *Group
	tenant := tenantOf(ctx)
	err := s.store.Read(ctx, func(tx store.Tx) error {
		k, _, err := resolve(tx, tenant, k)
		if err != nil {
			return err
		}
		g, _, err = load(tx, tenant, k)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a group: %w", err)
	case g == nil:
		return nil, notFound(k)
	}
	return g, nil
}

// delete hides a group and remembers when.
func (s *Service) delete(ctx context.Context, k key) error {
	if err := access.WriteGroups(ctx); err != nil {
		return err
	}
	tenant, now := tenantOf(ctx), s.clock().Unix()
	err := s.store.Write(ctx, func(tx store.Tx) error {
		k, _, err := resolve(tx, tenant, k)
		if err != nil {
			return err
		}
		n, err := tx.Exec(deleteStmt, k.id, tenant, now)
		if err == nil && n == 0 {
			return notFound(k)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete a group: %w", err)
	}
	return nil
}

// authorize asks for the rights that single properties need, where the request
// would give them another value; old is nil at creation.
func (in *Input) authorize(ctx context.Context, old *Group, strict bool) error {
	if is(in.IsAssignableToRole, true) && (old == nil || !old.assignableToRole()) {
		if err := access.AssignGroupsToRoles(ctx, strict); err != nil {
			return err
		}
	}
	before := ""
	if old != nil {
		before = old.PreferredDataLocation
	}
	if in.PreferredDataLocation.presence != absent && in.PreferredDataLocation.value != before {
		return access.SetGroupDataLocation(ctx)
	}
	return nil
}

// born gives a new group what the directory adds.
func (s *Service) born(g *Group, id string, now time.Time) {
	g.ID = id
	g.CreatedDateTime = now.UTC().Format("2006-01-02T15:04:05Z")
	g.RenewedDateTime = g.CreatedDateTime
	if g.unified() {
		g.Mail = s.address(g)
	}
}

func (s *Service) address(g *Group) string { return g.MailNickname + "@" + s.domain }

func tenantOf(ctx context.Context) string { return access.From(ctx).Tenant }

// insert claims the names of a new group and keeps it.
func insert(tx store.Tx, tenant string, g *Group) error {
	if g.UniqueName != "" {
		if err := claim(tx, store.SpaceGroupUniqueName, tenant, canonicalUniqueName(g.UniqueName), g.ID, "uniqueName"); err != nil {
			return err
		}
	}
	if g.unified() {
		if err := claim(tx, store.SpaceMailNickname, tenant, canonicalMailNickname(g.MailNickname), g.ID, "mailNickname"); err != nil {
			return err
		}
	}
	text, err := encode(g)
	if err != nil {
		return err
	}
	_, err = tx.Exec(insertStmt, g.ID, tenant, text)
	return err
}

// claim takes a name for a group, or refuses in the name of the property.
func claim(tx store.Tx, space store.Space, tenant, name, id, property string) error {
	err := store.Claim(tx, space, tenant, name, id)
	if errors.Is(err, store.ErrTaken) {
		return conflict(property)
	}
	return err
}

// resolve gives a key its id, if a group has or had its name; taken says so.
func resolve(tx store.Tx, tenant string, k key) (_ key, taken bool, err error) {
	if !k.byName {
		return k, false, nil
	}
	if !validUniqueName(k.name) {
		return k, false, nil // nobody can have it
	}
	k.id, err = store.Owner(tx, store.SpaceGroupUniqueName, tenant, canonicalUniqueName(k.name))
	return k, k.id != "", err
}

// load reads a group and its stored record; nil when there is none, or it was
// deleted.
func load(tx store.Tx, tenant string, k key) (g *Group, text string, err error) {
	if k.id == "" {
		return nil, "", nil
	}
	found, err := store.QueryOne(tx, getStmt, func(r store.Row) error { text = r.Text(0); return nil }, k.id, tenant)
	if err != nil || !found {
		return nil, "", err
	}
	g = new(Group)
	if err := json.Unmarshal([]byte(text), g); err != nil {
		return nil, "", fmt.Errorf("read a group's record: %w", err)
	}
	return g, text, nil
}

func encode(g *Group) (string, error) {
	text, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("write a group's record: %w", err)
	}
	return string(text), nil
}
