package economy

import (
	"context"
	"embed"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

//go:embed sql
var files embed.FS

// Area is the schema of this part.
var Area = store.Area{Name: "player-economy", FS: files, Dir: "sql/migrations"}

var (
	statements     = store.Statements(files, "sql")
	currenciesStmt = statements.Get("currencies")
	catalogsStmt   = statements.Get("catalogs")
)

// topic is signalled when currencies or catalogs of any title change.
const topic = "player-economy"

// currency is a kind of currency of a title.
type currency struct {
	code    string
	name    string
	born    int64    // when it was added
	periods []period // at least one, in order of time
}

// now is what the currency is like at a time.
func (c *currency) now(at int64) period {
	p := c.periods[0]
	for _, q := range c.periods[1:] {
		if q.since <= at {
			p = q
		}
	}
	return p
}

// deposit is what a player begins with who was created at a time; those who were
// there before the currency was added have none.
func (c *currency) deposit(created int64) int32 {
	if created < c.born {
		return 0
	}
	return c.now(created).deposit
}

// catalog is one version of a title's items.
type catalog struct {
	version string
	items   []CatalogItem // in the order in which they were given
	byID    map[string]*CatalogItem
}

func newCatalog(version string, items []CatalogItem) *catalog {
	c := &catalog{version: version, items: items, byID: make(map[string]*CatalogItem, len(items))}
	for i := range items {
		c.byID[items[i].ItemId] = &items[i]
	}
	return c
}

// Definitions is what a title says about its economy: currencies and catalogs.
// It never changes; a later one takes its place.
type Definitions struct {
	title      string
	currencies []*currency // by code
	catalogs   map[string]*catalog
	chosen     string // version of the default catalog, or ""
}

// currency finds a kind of currency; nil when there is none.
func (d *Definitions) currency(code string) *currency {
	for _, c := range d.currencies {
		if c.code == code {
			return c
		}
	}
	return nil
}

// catalog finds a version of the catalog, "" is the default one.
func (d *Definitions) catalog(version string) (*catalog, error) {
	if version == "" {
		version = d.chosen
	}
	if c := d.catalogs[version]; c != nil {
		return c, nil
	}
	if version == "" {
		return nil, call.Refuse("CatalogNotConfigured", "The title has no default catalog")
	}
	return nil, call.Refuse("CatalogNotConfigured", "The title has no catalog of this version")
}

// item finds an item of a catalog.
func (c *catalog) item(id string) (*CatalogItem, error) {
	if it := c.byID[id]; it != nil {
		return it, nil
	}
	return nil, call.Refuse("ItemNotFound", "Item not found").With("ItemId", fmt.Sprintf("There is no item %q in the catalog.", clip(id)))
}

// cache keeps the definitions of the titles that were asked for. A signal of the
// store, or of this node's own change, lets it begin anew.
type cache struct {
	st      store.Store
	changed <-chan struct{}
	now     atomic.Pointer[generation]
}

// generation is what was read since the last change.
type generation struct{ titles sync.Map } // title id -> *entry

type entry struct {
	mu  sync.Mutex
	got atomic.Pointer[Definitions]
}

func newCache(st store.Store) *cache {
	c := &cache{st: st, changed: st.Watch(context.Background(), topic)} // until the store closes
	c.forget()
	return c
}

func (c *cache) forget() { c.now.Store(&generation{}) }

// get gives the definitions of a title, from memory when nothing has changed.
// It must not be called inside a transaction.
func (c *cache) get(ctx context.Context, title string) (*Definitions, error) {
	c.listen()
	v, ok := c.now.Load().titles.Load(title)
	if !ok {
		v, _ = c.now.Load().titles.LoadOrStore(title, &entry{})
	}
	e := v.(*entry)
	if d := e.got.Load(); d != nil {
		return d, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if d := e.got.Load(); d != nil {
		return d, nil
	}
	var d *Definitions
	err := c.st.Read(ctx, func(tx store.Tx) (err error) { d, err = readDefinitions(tx, title); return err })
	if err != nil {
		return nil, fmt.Errorf("read the economy of title %s: %w", title, err)
	}
	e.got.Store(d)
	return d, nil
}

// peek gives what is in memory of a title, or nil.
func (c *cache) peek(title string) *Definitions {
	c.listen()
	if v, ok := c.now.Load().titles.Load(title); ok {
		return v.(*entry).got.Load()
	}
	return nil
}

// listen begins anew when the store has signalled a change.
func (c *cache) listen() {
	select {
	case _, open := <-c.changed:
		if open {
			c.forget()
		}
	default:
	}
}

// readDefinitions reads the definitions of a title as a transaction sees them.
func readDefinitions(tx store.Tx, title string) (*Definitions, error) {
	d := &Definitions{title: title, catalogs: map[string]*catalog{}}
	if err := d.readCurrencies(tx); err != nil {
		return nil, err
	}
	return d, d.readCatalogs(tx)
}

func (d *Definitions) readCurrencies(tx store.Tx) error {
	return tx.Query(currenciesStmt, func(r store.Row) error {
		var c *currency
		if n := len(d.currencies); n > 0 && d.currencies[n-1].code == r.Text(0) {
			c = d.currencies[n-1]
		} else {
			c = &currency{code: r.Text(0)}
			d.currencies = append(d.currencies, c)
		}
		c.born, c.name = r.Int(2), r.Text(3)
		c.periods = append(c.periods, period{since: r.Int(1), deposit: int32(r.Int(4)), rate: int32(r.Int(5)), max: int32(r.Int(6))})
		return nil
	}, d.title)
}

func (d *Definitions) readCatalogs(tx store.Tx) error {
	return tx.Query(catalogsStmt, func(r store.Row) error {
		version, text := r.Text(0), r.Text(2)
		var items []CatalogItem
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			return fmt.Errorf("catalog %s: %w", version, err)
		}
		d.catalogs[version] = newCatalog(version, items)
		if r.Bool(1) {
			d.chosen = version
		}
		return nil
	}, d.title)
}
