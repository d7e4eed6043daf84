package title

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

//go:embed sql
var files embed.FS

// Area is the schema of the titles.
var Area = store.Area{Name: "player-title", FS: files, Dir: "sql/migrations"}

var (
	statements = store.Statements(files, "sql")
	allStmt    = statements.Get("all")
	putStmt    = statements.Get("put")
	deleteStmt = statements.Get("delete")
	lockStmt   = statements.Get("lock")
)

// topic is signalled when titles change.
const topic = "titles"

// Options of a Registry.
type Options struct {
	Store store.Store // with the schema of Area; required
	Box   *secret.Box // seals the documents; required
	// Declared are the titles of the settings file.
	Declared map[string]Settings
	// Template is what springs up for every other well-formed id; nil: nothing
	// does.
	Template *Settings
	// Defaults stand in for settings that a title leaves empty: StreamingClientID.
	Defaults Settings
	// AllowLoopback lets a title's name filter be on this machine, as in
	// development.
	AllowLoopback bool
	// Naming finds a naming by its name; nil for an unknown one.
	Naming func(name string) *wire.Naming
	Clock  ludgate.Clock
	Log    *slog.Logger // slog.Default when nil
}

// Registry knows the titles of an installation. It is safe for concurrent use.
type Registry struct {
	opt  Options
	now  atomic.Pointer[snapshot]
	mu   sync.Mutex // one reload at a time
	stop func()
	// sprung are titles of the template that were asked for.
	sprung sync.Map // id -> *Title
}

// snapshot is all titles at one moment.
type snapshot struct {
	titles  map[string]*Title
	secrets map[[32]byte]*Title // by the hash of a secret key that is not disabled
	namings bool                // some title has a naming of its own
}

// doc is what the store keeps of a title.
type doc struct {
	Settings Settings `json:"settings"`
	Keys     Keys     `json:"keys"`
}

// Errors of a registry's changes.
var (
	ErrNotFound = errors.New("there is no such title")
	ErrExists   = errors.New("there is such a title already")
	ErrDeclared = errors.New("the title is declared in the settings file; change it there")
)

// Open reads the titles and follows them until Close.
func Open(ctx context.Context, o Options) (*Registry, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Naming == nil {
		o.Naming = func(string) *wire.Naming { return nil }
	}
	declared := make(map[string]Settings, len(o.Declared))
	for id, s := range o.Declared {
		clean, err := CleanID(id)
		if err != nil {
			return nil, err
		}
		if _, twice := declared[clean]; twice {
			return nil, fmt.Errorf("title %s is there twice", clean)
		}
		declared[clean] = s
	}
	o.Declared = declared
	r := &Registry{opt: o}
	for id, s := range declared {
		if err := r.checkSettings(&s); err != nil {
			return nil, fmt.Errorf("title %s: %w", id, err)
		}
	}
	stop, err := store.Follow(ctx, o.Store, topic, r.reload, func(err error) {
		o.Log.Warn("titles cannot be read; trying again", "error", err)
	})
	if err != nil {
		return nil, err
	}
	r.stop = stop
	return r, nil
}

// Close stops following the store.
func (r *Registry) Close() { r.stop() }

// reload reads all titles.
func (r *Registry) reload(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := &snapshot{titles: map[string]*Title{}, secrets: map[[32]byte]*Title{}}
	err := r.opt.Store.Read(ctx, func(tx store.Tx) error {
		clear(next.titles)
		return tx.Query(allStmt, func(row store.Row) error {
			d, err := r.open(row.Text(0), row.Text(2))
			if err != nil {
				return err
			}
			next.titles[row.Text(0)] = r.title(row.Text(0), row.Int(1), d)
			return nil
		})
	})
	if err != nil {
		return err
	}
	for id := range r.opt.Declared {
		if next.titles[id] == nil {
			next.titles[id] = r.title(id, 0, &doc{})
		}
	}
	for _, t := range next.titles {
		next.namings = next.namings || t.WireNaming != nil
		for _, k := range t.keys.Secrets {
			if !k.Disabled {
				next.secrets[[32]byte(k.Hash)] = t
			}
		}
	}
	r.now.Store(next)
	return nil
}

// title makes a snapshot of one title.
func (r *Registry) title(id string, version int64, d *doc) *Title {
	t := &Title{ID: id, Settings: d.Settings, Version: version, keys: d.Keys}
	if s, ok := r.opt.Declared[id]; ok {
		t.Settings, t.Declared = s, true
	}
	r.complete(t)
	return t
}

func (r *Registry) complete(t *Title) {
	if t.StreamingClientID == "" {
		t.StreamingClientID = r.opt.Defaults.StreamingClientID
	}
	if t.Naming != "" {
		t.WireNaming = r.opt.Naming(t.Naming)
	}
}

// Get gives the title of an id in upper case.
func (r *Registry) Get(id string) (*Title, bool) {
	if t, ok := r.now.Load().titles[id]; ok {
		return t, true
	}
	if r.opt.Template == nil || !ValidID(id) {
		return nil, false
	}
	if t, ok := r.sprung.Load(id); ok {
		return t.(*Title), true
	}
	t := &Title{ID: id, Settings: *r.opt.Template}
	r.complete(t)
	kept, _ := r.sprung.LoadOrStore(id, t)
	return kept.(*Title), true
}

// BySecret gives the title of a secret key. The keys are found by their hash,
// which tells nothing about them by the time it takes.
func (r *Registry) BySecret(key string) (*Title, bool) {
	t, ok := r.now.Load().secrets[[32]byte(hashSecret(key))]
	return t, ok
}

// Naming gives the naming of a title that has one of its own, else nil. id is
// only called where some title has one; what it gives may be anything. It is what
// wire.Options.TitleNaming wants.
func (r *Registry) Naming(id func() string) *wire.Naming {
	if !r.now.Load().namings {
		return nil
	}
	if t, ok := r.Get(strings.ToUpper(id())); ok {
		return t.WireNaming
	}
	return nil
}

// List gives all titles that are declared or stored, by id.
func (r *Registry) List() []*Title {
	titles := r.now.Load().titles
	list := make([]*Title, 0, len(titles))
	for _, id := range slices.Sorted(maps.Keys(titles)) {
		list = append(list, titles[id])
	}
	return list
}

// Add makes a title with settings. It fails with ErrExists, and with a
// SettingError.
func (r *Registry) Add(ctx context.Context, id string, s Settings) error {
	id, err := CleanID(id)
	if err != nil {
		return err
	}
	if _, declared := r.opt.Declared[id]; declared {
		return ErrExists
	}
	if err := r.checkSettings(&s); err != nil {
		return err
	}
	return r.change(ctx, id, func(d *doc, exists bool) error {
		if exists {
			return ErrExists
		}
		d.Settings = s
		return nil
	})
}

// UpdateSettings changes the settings of a title. A title that sprang up is
// stored by it. It fails with a SettingError where they cannot work.
func (r *Registry) UpdateSettings(ctx context.Context, id string, fn func(*Settings) error) error {
	id, err := CleanID(id)
	if err != nil {
		return err
	}
	if _, declared := r.opt.Declared[id]; declared {
		return ErrDeclared
	}
	return r.change(ctx, id, func(d *doc, exists bool) error {
		if err := r.begin(id, d, exists); err != nil {
			return err
		}
		if err := fn(&d.Settings); err != nil {
			return err
		}
		return r.checkSettings(&d.Settings)
	})
}

// UpdateKeys changes the keys of a title, declared ones included.
func (r *Registry) UpdateKeys(ctx context.Context, id string, fn func(*Keys) error) error {
	id, err := CleanID(id)
	if err != nil {
		return err
	}
	return r.change(ctx, id, func(d *doc, exists bool) error {
		if err := r.begin(id, d, exists); err != nil {
			return err
		}
		return fn(&d.Keys)
	})
}

// begin fills in the document of a title that the store does not have yet.
func (r *Registry) begin(id string, d *doc, exists bool) error {
	if exists {
		return nil
	}
	if _, declared := r.opt.Declared[id]; declared {
		return nil
	}
	if r.opt.Template == nil {
		return ErrNotFound
	}
	d.Settings = *r.opt.Template
	return nil
}

// Delete removes a title with its data; its players are removed by who keeps
// them, before.
func (r *Registry) Delete(ctx context.Context, id string) error {
	id, err := CleanID(id)
	if err != nil {
		return err
	}
	if _, declared := r.opt.Declared[id]; declared {
		return ErrDeclared
	}
	err = r.opt.Store.Write(ctx, func(tx store.Tx) error {
		n, err := tx.Exec(deleteStmt, id)
		if err == nil && n == 0 {
			return ErrNotFound
		}
		if err == nil {
			_, err = tx.Exec(dataClearStmt, id)
		}
		tx.Notify(topic)
		return err
	})
	if err != nil {
		return err
	}
	r.sprung.Delete(id)
	return r.reload(ctx)
}

// change reads, changes and stores a title's document in one transaction, and
// shows it here at once.
func (r *Registry) change(ctx context.Context, id string, fn func(d *doc, exists bool) error) error {
	err := r.opt.Store.Write(ctx, func(tx store.Tx) error {
		d := &doc{}
		sealed := ""
		exists, err := store.QueryOne(tx, lockStmt, func(row store.Row) error { sealed = row.Text(0); return nil }, id)
		if err == nil && exists {
			d, err = r.open(id, sealed)
		}
		if err == nil {
			err = fn(d, exists)
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(putStmt, id, r.opt.Box.Seal(string(text), id)); err != nil {
			return err
		}
		tx.Notify(topic)
		return nil
	})
	if err != nil {
		return err
	}
	return r.reload(ctx)
}

// open reads a title's document.
func (r *Registry) open(id, sealed string) (*doc, error) {
	text, err := r.opt.Box.Open(sealed, id)
	if err != nil {
		return nil, fmt.Errorf("title %s: %w", id, err)
	}
	d := &doc{}
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return nil, fmt.Errorf("title %s: %w", id, err)
	}
	return d, nil
}
