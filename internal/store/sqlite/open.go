package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"ludgate/internal/store"
	"ludgate/internal/store/datadir"

	"zombiezen.com/go/sqlite"
)

// FileName is the database's file in the data directory. SQLite keeps two more
// beside it while the store is open: FileName-wal and FileName-shm.
const FileName = "ludgate.db"

const (
	applicationID = 0x4c554447 // "LUDG", in the file's header: whose database it is
	pageSize      = 2048       // smaller pages, less to log per changed row

	defaultQueue    = 4096
	defaultWALLimit = 64 << 20
	defaultBatch    = 1024
	writerCacheKiB  = 64 << 10
	readerCacheKiB  = 8 << 10
	mmapBytes       = 1 << 30
)

// Options of a store. The zero value is right for most.
type Options struct {
	// Queue is how many writes may wait for their turn before Write answers
	// store.ErrBusy. Default 4096.
	Queue int
	// Readers is the number of connections for reading. Default: as many as
	// processors, at least 2 and at most 4.
	Readers int
	// WALLimit is the size of the write-ahead log, in bytes, from which the
	// writer waits for a checkpoint instead of letting it run beside it.
	// Default 64 MiB.
	WALLimit int64
	// MaxSize limits the database file, in bytes; beyond it Write answers
	// store.ErrFull. Default: the disk.
	MaxSize int64

	maxBatch int // calls in one commit; tests and benchmarks set it
}

func (o *Options) setDefaults() {
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	if o.Readers <= 0 {
		o.Readers = min(max(runtime.GOMAXPROCS(0), 2), 4)
	}
	if o.WALLimit <= 0 {
		o.WALLimit = defaultWALLimit
	}
	if o.maxBatch <= 0 {
		o.maxBatch = defaultBatch
	}
}

// Store is an open data directory. It implements store.Store.
type Store struct {
	dir      string
	opts     Options
	lock     *os.File
	watchers store.Watchers

	writer  *writer
	readers chan *conn // every idle reader
	check   *checkpointer

	alone   chan struct{} // full while Exclusive runs
	closing chan struct{} // closed when Close begins
	once    sync.Once
	closed  error
}

var (
	_ store.Store     = (*Store)(nil)
	_ store.Exclusive = (*Store)(nil)
)

// Open opens the store in dir, and makes both if they are not there: the
// directory with mode 0700, its files with 0600. Its errors are single sentences
// for whoever starts the program; errors.Is finds store.ErrLocked,
// store.ErrReadOnly and store.ErrFull in them.
func Open(ctx context.Context, dir string, opts Options) (*Store, error) {
	opts.setDefaults()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	lock, err := datadir.Lock(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: dir, opts: opts, lock: lock,
		readers: make(chan *conn, opts.Readers),
		alone:   make(chan struct{}, 1),
		closing: make(chan struct{}),
	}
	if err := s.start(); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// start opens the connections and starts the goroutines.
func (s *Store) start() error {
	path := filepath.Join(s.dir, FileName)
	if err := createFile(path); err != nil {
		return datadir.Explain(s.dir, err)
	}
	w, err := openWriter(path, s.opts)
	if err != nil {
		return fileError(path, err)
	}
	s.writer = newWriter(s, w)
	for range s.opts.Readers {
		r, err := openConn(path, readerCacheKiB, "PRAGMA query_only = ON")
		if err != nil {
			return fileError(path, err)
		}
		s.readers <- r
	}
	c, err := openConn(path, 0)
	if err != nil {
		return fileError(path, err)
	}
	s.check = newCheckpointer(s, c)
	if err := syncDir(s.dir); err != nil {
		return datadir.Explain(s.dir, err)
	}
	go s.check.run()
	go s.writer.run()
	return nil
}

// openWriter opens the first connection, which makes the file a Ludgate database
// if it is empty and refuses it if it is something else.
func openWriter(path string, opts Options) (*conn, error) {
	c, err := openConn(path, writerCacheKiB)
	if err != nil {
		return nil, err
	}
	if err := c.prepareFile(opts); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// errForeign: the file is an SQLite database, but not one of ours.
var errForeign = errors.New("it belongs to another program")

// prepareFile gives an empty file its page size, log mode and owner.
func (c *conn) prepareFile(opts Options) error {
	objects, err := c.number("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return err
	}
	owner, err := c.number("PRAGMA application_id")
	if err != nil {
		return err
	}
	if owner != applicationID && (objects > 0 || owner != 0) {
		return errForeign
	}
	if owner == 0 {
		if err := c.script(fmt.Sprintf("PRAGMA page_size = %d", pageSize)); err != nil {
			return err
		}
	}
	if err := c.script("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 0"); err != nil {
		return err
	}
	if owner == 0 {
		if err := c.script(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
	}
	if opts.MaxSize > 0 {
		size, err := c.number("PRAGMA page_size")
		if err != nil {
			return err
		}
		return c.script(fmt.Sprintf("PRAGMA max_page_count = %d", max(opts.MaxSize/size, 1)))
	}
	return nil
}

// Dialect is store.SQLite.
func (s *Store) Dialect() store.Dialect { return store.SQLite }

// Watch implements store.Store. One process has the directory, so a signal never
// leaves it.
func (s *Store) Watch(ctx context.Context, topic string) <-chan struct{} {
	return s.watchers.Watch(ctx, topic)
}

// Stats counts what a store has done since it was opened.
type Stats struct {
	Commits int64 // transactions, each with one fsync
	Writes  int64 // calls of Write they held
	Waiting int   // calls of Write in the queue now
}

// Stats gives the counts, for metrics: Writes / Commits is the size of a batch.
func (s *Store) Stats() Stats {
	return Stats{Commits: s.writer.commits.Load(), Writes: s.writer.writes.Load(), Waiting: len(s.writer.queue)}
}

// Exclusive implements store.Exclusive. One process has the directory, so one
// lock in it is enough, whatever the name.
func (s *Store) Exclusive(ctx context.Context, _ string, fn func(ctx context.Context) error) error {
	select {
	case s.alone <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.alone }()
	return fn(ctx)
}

// Close runs the writes that wait, waits for reads under way, folds the log into
// the database file and gives the directory back. Later calls return
// store.ErrClosed.
func (s *Store) Close() error {
	s.once.Do(func() {
		close(s.closing)
		<-s.writer.exited
		<-s.check.exited
		for range s.opts.Readers {
			(<-s.readers).close()
		}
		s.closed = s.release()
	})
	return s.closed
}

// release closes what start opened, as far as it came.
func (s *Store) release() error {
	var errs []error
	for len(s.readers) > 0 {
		errs = append(errs, (<-s.readers).close())
	}
	if s.check != nil {
		errs = append(errs, s.check.conn.close())
	}
	// The writer goes last: the last connection folds the log into the file.
	if s.writer != nil {
		errs = append(errs, s.writer.conn.close())
	}
	errs = append(errs, s.lock.Close())
	s.watchers.Close()
	return errors.Join(errs...)
}

// createFile makes the database file, or tightens the mode of the one there.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it cannot sync directories, and journals names itself
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// fileError explains why the database file cannot be used.
func fileError(path string, err error) error {
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case errors.Is(err, errForeign):
		return fmt.Errorf("%s is not a Ludgate database: it belongs to another program; move it away, or choose another data directory", path)
	case code == sqlite.ResultNotADB:
		return fmt.Errorf("%s is not a Ludgate database; move it away, or choose another data directory", path)
	case code == sqlite.ResultCorrupt:
		return fmt.Errorf("%s is damaged; restore it from a backup", path)
	case code == sqlite.ResultReadOnly, code == sqlite.ResultCantOpen, code == sqlite.ResultPerm:
		return fmt.Errorf("%s cannot be written (%w); give this user the right to write it and its directory", path, store.ErrReadOnly)
	case code == sqlite.ResultFull:
		return fmt.Errorf("the disk of %s is full (%w); make room there", path, store.ErrFull)
	}
	return fmt.Errorf("%s cannot be opened: %w", path, err)
}
