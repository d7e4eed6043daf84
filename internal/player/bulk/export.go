package bulk

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ludgate/internal/player/account"
	"ludgate/internal/store"
)

// Bounds of one page of an export.
const (
	maxPage      = 1000
	maxPageBytes = 4 << 20
)

// Page is a piece of an export.
type Page struct {
	Lines []byte // one player a line
	Count int
	Last  string // id of the last player; the next page begins after it
}

// Export gives the players of a title after an id, in the order of their ids; an
// empty page is the end. A page is one moment; players who come or change between
// two pages may be in the file or not.
func (b *Bulk) Export(ctx context.Context, titleID, after string) (*Page, error) {
	page := &Page{}
	err := b.store.Read(ctx, func(tx store.Tx) error {
		*page = Page{}
		ids, err := account.Page(tx, titleID, after, maxPage)
		if err != nil {
			return err
		}
		var out bytes.Buffer
		for _, id := range ids {
			if out.Len() >= maxPageBytes {
				break
			}
			if err := b.export(tx, &out, titleID, id); err != nil {
				return err
			}
			page.Count++
			page.Last = id
		}
		page.Lines = out.Bytes()
		return nil
	})
	return page, err
}

// export writes the line of one player.
func (b *Bulk) export(tx store.Tx, out *bytes.Buffer, titleID, id string) error {
	a, err := account.Get(tx, titleID, id)
	if err != nil {
		return err
	}
	p, err := b.record(a)
	if err != nil {
		return err
	}
	for _, part := range b.opt.Parts {
		dump, err := part.Export(tx, titleID, id)
		if err != nil {
			return err
		}
		if dump == nil {
			continue
		}
		if p.Parts == nil {
			p.Parts = map[string]jsontext.Value{}
		}
		p.Parts[part.Name()] = dump
	}
	if err := json.MarshalWrite(out, p, json.Deterministic(true)); err != nil {
		return err
	}
	return out.WriteByte('\n')
}

// Count is how many players a title has.
func (b *Bulk) Count(ctx context.Context, titleID string) (n int64, err error) {
	err = b.store.Read(ctx, func(tx store.Tx) error {
		n, err = account.CountAll(tx, titleID)
		return err
	})
	return n, err
}
