package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"ludgate/internal/player/bulk"
	"ludgate/internal/server"
)

// How an import is cut: lines and bytes of a batch, and batches under way at
// once. While one waits for the disk, others are read and checked.
const (
	importLines   = 500
	importBytes   = 1 << 20
	importAtOnce  = 4
	importMaxLine = bulk.MaxBytes - importBytes
)

type importOptions struct{ skip, dryRun bool }

// importTotal is what became of all lines.
type importTotal struct {
	Imported int `json:"imported"`
	Skipped  int `json:"skipped"`
	Refused  int `json:"refused"`
}

// importer sends a file in batches.
type importer struct {
	control  *server.Control
	title    string
	options  importOptions
	progress *progress
	name     string // of the file, in messages

	mu    sync.Mutex
	total importTotal
	taken map[uint64]int // by a dry run: line by what it would take
}

// batch is some lines.
type batch struct {
	lines []byte
	first int // number of the first one
}

func (i *importer) run(ctx context.Context, in io.Reader) error {
	group, ctx := errgroup.WithContext(ctx)
	batches := make(chan batch)
	group.Go(func() error {
		defer close(batches)
		return i.cut(ctx, in, batches)
	})
	for range importAtOnce {
		group.Go(func() error {
			for b := range batches {
				if err := i.send(ctx, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// cut reads the file into batches.
func (i *importer) cut(ctx context.Context, in io.Reader, to chan<- batch) error {
	r := bufio.NewReaderSize(in, importBytes)
	b, n, count := batch{first: 1}, 1, 0
	flush := func() error {
		if len(b.lines) == 0 {
			return nil
		}
		select {
		case to <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		b, count = batch{first: n}, 0
		return nil
	}
	for {
		line, err := r.ReadSlice('\n')
		b.lines = append(b.lines, line...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(b.lines) > importMaxLine {
				return fmt.Errorf("%s:%d: the line is longer than %d bytes", i.name, n, importMaxLine)
			}
			continue
		case errors.Is(err, io.EOF):
			return flush()
		case err != nil:
			return err
		}
		n++
		if count++; count == importLines || len(b.lines) >= importBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// send has a batch stored and reports what became of it.
func (i *importer) send(ctx context.Context, b batch) error {
	q := url.Values{"first": {strconv.Itoa(b.first)}}
	if i.options.skip {
		q.Set("skip", "1")
	}
	if i.options.dryRun {
		q.Set("dryrun", "1")
	}
	answer, _, err := i.control.Raw(ctx, "players/import/"+url.PathEscape(i.title)+"?"+q.Encode(), "", b.lines)
	if err != nil {
		return err
	}
	var r bulk.Report
	if err := json.Unmarshal(answer, &r); err != nil {
		return err
	}
	i.mu.Lock()
	r.Faults = append(r.Faults, i.doubles(&r)...)
	i.total.Imported += r.Imported
	i.total.Skipped += r.Skipped
	i.total.Refused += len(r.Faults)
	i.mu.Unlock()
	for _, f := range r.Faults {
		i.progress.line(fmt.Sprintf("%s:%d: %s", i.name, f.Line, f.Text))
	}
	i.progress.add(bytes.Count(b.lines, []byte("\n")), int64(len(b.lines)))
	return nil
}

// doubles finds the lines of a dry run that would take what another batch would
// have taken, and counts them as refused. The caller holds the lock.
func (i *importer) doubles(r *bulk.Report) (faults []bulk.Fault) {
	if i.taken == nil {
		i.taken = map[uint64]int{}
	}
	for _, c := range r.Claims {
		other := 0
		for _, key := range c.Keys {
			if line, ok := i.taken[key]; ok {
				other = line
			}
		}
		if other != 0 {
			faults = append(faults, bulk.Fault{Line: c.Line, Text: fmt.Sprintf("Its id or a name is also in line %d.", other)})
			r.Imported--
			continue
		}
		for _, key := range c.Keys {
			i.taken[key] = c.Line
		}
	}
	return faults
}
