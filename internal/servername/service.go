package servername

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this service.
var Area = store.Area{Name: "servername", FS: files, Dir: "sql/migrations"}

var (
	statements = store.Statements(files, "sql")
	getStmt    = statements.Get("get")
	insertStmt = statements.Get("insert")
	updateStmt = statements.Get("update")
	deleteStmt = statements.Get("delete")
	listStmt   = statements.Get("list")
)

// neutralType is the resource type in permissions and in the ledger, whatever
// the caller's naming.
const neutralType = "Vendor.Sql/servers"

// pageSize is how many servers a list gives at once.
const pageSize = 500

// Options of a Service.
type Options struct {
	Store store.Store
	// Location is the location of a server that names none; "local" when empty.
	Location string
}

// Service is the register of server names. It is safe for concurrent use.
type Service struct {
	store    store.Store
	location string
}

// New makes a Service. Its store must have the schema of [Area].
func New(opt Options) (*Service, error) {
	if opt.Store == nil {
		return nil, errors.New("servername: a store is needed")
	}
	if opt.Location == "" {
		opt.Location = "local"
	}
	return &Service{store: opt.Store, location: opt.Location}, nil
}

// canonical is the ledger's key of a server name. Only names that pass
// [validName] come to the ledger, and those have one spelling already.
func canonical(name string) string { return name }

// key is a place as the store compares it.
func (p place) key() place {
	return place{strings.ToLower(p.Subscription), strings.ToLower(p.ResourceGroup)}
}

// scope is the resource id of a server, for permissions and as owner in the
// ledger.
func (p place) scope(name string) string {
	return p.group() + "/providers/" + neutralType + "/" + name
}

func (p place) group() string {
	if p.ResourceGroup == "" {
		return "/subscriptions/" + p.Subscription
	}
	return "/subscriptions/" + p.Subscription + "/resourceGroups/" + p.ResourceGroup
}

// owner is what the ledger knows a server by.
func (p place) owner(name string) string { return p.key().scope(name) }

// check answers a name check that passed [checkRequest.check]. An unacceptable
// name is answered without a look at the register.
func (s *Service) check(ctx context.Context, name string) (checkReply, error) {
	if !validName(name) {
		return checkReply{Name: name, Reason: reasonInvalid, Message: invalidName}, nil
	}
	owner := ""
	err := s.store.Read(ctx, func(tx store.Tx) error {
		var err error
		owner, err = store.Owner(tx, store.SpaceServerName, "", canonical(name))
		return err
	})
	switch {
	case err != nil:
		return checkReply{}, fmt.Errorf("look up a server name: %w", err)
	case owner != "":
		return checkReply{Name: name, Reason: reasonAlreadyExists, Message: takenName}, nil
	}
	return checkReply{Name: name, Available: true}, nil
}

// put makes a server or replaces its tags, and says whether it made it. The
// location of a server stays what it was.
func (s *Service) put(ctx context.Context, at place, name string, q serverRequest) (rec record, created bool, err error) {
	if err := access.Management(ctx, neutralType+"/write", at.scope(name)); err != nil {
		return rec, false, err
	}
	if !validName(name) {
		return rec, false, ludgate.Errorf(ludgate.Invalid, "InvalidServerName", "%s", invalidName).At("name")
	}
	if err := q.check(); err != nil {
		return rec, false, err
	}
	key, owner := at.key(), at.owner(name)
	err = s.store.Write(ctx, func(tx store.Tx) error {
		err := store.Claim(tx, store.SpaceServerName, "", canonical(name), owner)
		if errors.Is(err, store.ErrTaken) {
			return taken(tx, key, name)
		}
		if err != nil {
			return err
		}
		have, found, err := get(tx, key, name)
		if err != nil {
			return err
		}
		if !found {
			created = true
			rec = record{place: at, Location: q.Location, Tags: q.Tags}
			if rec.Location == "" {
				rec.Location = s.location
			}
			return save(tx, insertStmt, key, name, rec)
		}
		if q.Location != "" && !sameLocation(q.Location, have.Location) {
			return ludgate.Errorf(ludgate.Conflict, "InvalidResourceLocation",
				"The resource '%s' already exists in location '%s' in resource group '%s'. A resource with the same name cannot be created in location '%s'. Please select a new resource name.",
				name, have.Location, have.ResourceGroup, q.Location).At("location")
		}
		created, have.Tags = false, q.Tags
		rec = have
		return save(tx, updateStmt, key, name, rec)
	})
	if err != nil {
		return rec, false, fmt.Errorf("take a server name: %w", err)
	}
	return rec, created, nil
}

// taken words the refusal of a name that another server holds: within the
// caller's subscription it is a duplicate, elsewhere it is just not to be had.
func taken(tx store.Tx, key place, name string) error {
	owner, err := store.Owner(tx, store.SpaceServerName, "", canonical(name))
	if err != nil {
		return err
	}
	if strings.HasPrefix(owner, place{Subscription: key.Subscription}.group()+"/") {
		return ludgate.Errorf(ludgate.Conflict, "ServerAlreadyExists", "Duplicate server name.").At("name")
	}
	return ludgate.Errorf(ludgate.Invalid, "NameAlreadyExists", "The provided name already exists.").At("name")
}

// get reads a server; found is false when there is none.
func (s *Service) get(ctx context.Context, at place, name string) (rec record, found bool, err error) {
	if err := access.Management(ctx, neutralType+"/read", at.scope(name)); err != nil {
		return rec, false, err
	}
	if !validName(name) {
		return rec, false, nil // nobody can hold it
	}
	err = s.store.Read(ctx, func(tx store.Tx) error {
		rec, found, err = get(tx, at.key(), name)
		return err
	})
	if err != nil {
		return rec, false, fmt.Errorf("read a server: %w", err)
	}
	return rec, found, nil
}

// delete removes a server and frees its name; found is false when there was none.
func (s *Service) delete(ctx context.Context, at place, name string) (found bool, err error) {
	if err := access.Management(ctx, neutralType+"/delete", at.scope(name)); err != nil {
		return false, err
	}
	if !validName(name) {
		return false, nil
	}
	key := at.key()
	err = s.store.Write(ctx, func(tx store.Tx) error {
		n, err := tx.Exec(deleteStmt, name, key.Subscription, key.ResourceGroup)
		if err != nil {
			return err
		}
		if found = n == 1; !found {
			return nil
		}
		return store.Release(tx, store.SpaceServerName, "", canonical(name), at.owner(name))
	})
	if err != nil {
		return false, fmt.Errorf("free a server name: %w", err)
	}
	return found, nil
}

// named is a record with its name.
type named struct {
	record
	name string
}

// list gives a page of the servers of a subscription, or of one resource group,
// by name and after the name given; more says that there are further ones.
func (s *Service) list(ctx context.Context, at place, after string) (page []named, more bool, err error) {
	if err := access.Management(ctx, neutralType+"/read", at.group()); err != nil {
		return nil, false, err
	}
	key := at.key()
	err = s.store.Read(ctx, func(tx store.Tx) error {
		page, more = nil, false
		return tx.Query(listStmt, func(r store.Row) error {
			if len(page) == pageSize {
				more = true
				return nil
			}
			rec, err := decode(r.Text(1))
			page = append(page, named{rec, r.Text(0)})
			return err
		}, key.Subscription, key.ResourceGroup, after, int64(pageSize+1))
	})
	if err != nil {
		return nil, false, fmt.Errorf("list servers: %w", err)
	}
	return page, more, nil
}

func get(tx store.Tx, key place, name string) (rec record, found bool, err error) {
	found, err = store.QueryOne(tx, getStmt, func(r store.Row) error {
		var err error
		rec, err = decode(r.Text(0))
		return err
	}, name, key.Subscription, key.ResourceGroup)
	return rec, found, err
}

func save(tx store.Tx, stmt *store.Stmt, key place, name string, rec record) error {
	text, err := json.Marshal(rec, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write a server's record: %w", err)
	}
	_, err = tx.Exec(stmt, name, key.Subscription, key.ResourceGroup, string(text))
	return err
}

func decode(text string) (rec record, err error) {
	if err := json.Unmarshal([]byte(text), &rec); err != nil {
		return rec, fmt.Errorf("read a server's record: %w", err)
	}
	return rec, nil
}
