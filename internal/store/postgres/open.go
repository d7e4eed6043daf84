package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ludgate/internal/store"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	oldestVersion    = 13_00_00
	defaultQueue     = 4096
	defaultConns     = 16
	connectTimeout   = 10 * time.Second
	statementsCached = 1024
)

// Options of a store. The zero value is right for most.
type Options struct {
	// Queue is how many writes may be under way or wait for a connection before
	// Write answers store.ErrBusy. Default 4096.
	Queue int
	// Conns is the largest number of connections, beside the one that listens.
	// Default: pool_max_conns of the URL, or else 16.
	Conns int
}

// Store is an open database. It implements store.Store.
type Store struct {
	pool     *pgxpool.Pool
	channel  string // of NOTIFY: "ludgate:" and the schema
	schema   string
	queue    int64
	watchers store.Watchers
	listener *listener

	waiting atomic.Int64
	lane    chan struct{} // held by the one Write that runs again

	mu     sync.RWMutex // guards closed, and the first Add of work
	closed bool
	work   sync.WaitGroup // calls under way
	once   sync.Once
}

var (
	_ store.Store     = (*Store)(nil)
	_ store.Exclusive = (*Store)(nil)
)

// Open connects to the database of a URL (postgres://user:password@host/name,
// with the parameters that libpq knows; a parameter search_path names the schema).
// Its errors are single sentences for whoever starts the program, without the
// password.
func Open(ctx context.Context, rawURL string, opts Options) (*Store, error) {
	cfg, err := configure(rawURL, opts)
	if err != nil {
		return nil, err
	}
	where := place(cfg.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL at %s cannot be used: %w", where, err)
	}
	s := &Store{pool: pool, queue: int64(opts.Queue), lane: make(chan struct{}, 1)}
	if s.queue <= 0 {
		s.queue = defaultQueue
	}
	if err := s.inspect(ctx); err != nil {
		pool.Close()
		return nil, connectError(where, err)
	}
	if s.listener, err = listen(ctx, cfg.ConnConfig, s.channel, &s.watchers); err != nil {
		pool.Close()
		return nil, connectError(where, err)
	}
	return s, nil
}

// configure reads the URL and adds what the store's promises need.
func configure(rawURL string, opts Options) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(rawURL)
	if err != nil {
		return nil, fmt.Errorf("the URL of the PostgreSQL store is not right: %w", err) // pgx masks the password
	}
	if opts.Conns > 0 {
		cfg.MaxConns = int32(min(opts.Conns, 1<<15))
	} else if !strings.Contains(rawURL, "pool_max_conns=") {
		cfg.MaxConns = defaultConns
	}
	if cfg.ConnConfig.ConnectTimeout == 0 {
		cfg.ConnConfig.ConnectTimeout = connectTimeout
	}
	cfg.ConnConfig.StatementCacheCapacity = statementsCached
	for name, value := range map[string]string{
		"application_name": "ludgate",
		// A node that hangs in a transaction must not hold the others up.
		"idle_in_transaction_session_timeout": "30s",
		// On a table without statistics a sequential scan looks cheap: it is
		// slow once the table has grown, and its lock makes every writer
		// conflict with every other. The cost that this setting adds to a scan
		// without an index would wake the compiler, which takes longer still.
		"enable_seqscan": "off",
		"jit":            "off",
	} {
		if _, set := cfg.ConnConfig.RuntimeParams[name]; !set {
			cfg.ConnConfig.RuntimeParams[name] = value
		}
	}
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		// Best effort, for only a superuser may: two that wait for each other cost
		// a fifth of a second instead of a whole one.
		_, _ = c.Exec(ctx, `SET deadlock_timeout = '200ms'`)
		// Off would lose acknowledged writes; other settings are the operator's.
		_, err := c.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`)
		return err
	}
	return cfg, nil
}

// errUnfit explains why a server that answers cannot be used.
type errUnfit string

func (e errUnfit) Error() string { return string(e) }

// inspect connects for the first time and looks whether the server will do.
func (s *Store) inspect(ctx context.Context) error {
	var version, encoding string
	var schema *string
	row := s.pool.QueryRow(ctx, `SELECT current_setting('server_version_num'), current_setting('server_encoding'), current_schema()`)
	if err := row.Scan(&version, &encoding, &schema); err != nil {
		return err
	}
	switch n, err := strconv.Atoi(version); {
	case err != nil || n < oldestVersion:
		return errUnfit(fmt.Sprintf("it is version %s, and %d is the oldest that will do", version, oldestVersion/10000))
	case encoding != "UTF8":
		return errUnfit(fmt.Sprintf("its encoding is %s; create the database with ENCODING 'UTF8'", encoding))
	case schema == nil:
		return errUnfit("no schema of its search_path exists; create one, or name another")
	}
	s.schema = *schema
	s.channel = "ludgate:" + s.schema
	if len(s.channel) > 63 {
		return errUnfit("the name of its schema is longer than 55 bytes; choose a shorter one")
	}
	return nil
}

// place is where a configuration leads, for messages.
func place(c *pgx.ConnConfig) string {
	host := c.Host
	if !strings.HasPrefix(host, "/") {
		host = net.JoinHostPort(host, strconv.Itoa(int(c.Port)))
	}
	return host + " (database " + c.Database + ", user " + c.User + ")"
}

// connectError explains why a database cannot be used.
func connectError(where string, err error) error {
	var unfit errUnfit
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &unfit):
		return fmt.Errorf("PostgreSQL at %s cannot be used: %s", where, string(unfit))
	case errors.As(err, &refused):
		return fmt.Errorf("PostgreSQL at %s refuses: %s (%s); check the user, the password and the database in the URL", where, refused.Message, refused.Code)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fmt.Errorf("PostgreSQL at %s cannot be reached; check that it runs and that the URL is right: %s", where, oneLine(err))
}

// oneLine is an error's text without line breaks: pgx lists one attempt a line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Dialect is store.Postgres.
func (s *Store) Dialect() store.Dialect { return store.Postgres }

// Watch implements store.Store. Signals come from the database, so they come
// from every node; when the connection that listens was broken for a while, all
// watchers get one.
func (s *Store) Watch(ctx context.Context, topic string) <-chan struct{} {
	return s.watchers.Watch(ctx, topic)
}

// Close waits for calls under way and releases the connections. Later calls
// return store.ErrClosed.
func (s *Store) Close() error {
	s.once.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.work.Wait()
		s.listener.close()
		s.pool.Close()
		s.watchers.Close()
	})
	return nil
}

// enter counts a call as under way; the caller ends it with s.work.Done.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return store.ErrClosed
	}
	s.work.Add(1)
	return nil
}
