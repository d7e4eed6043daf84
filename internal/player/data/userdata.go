package data

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	dataStmt       = statements.Get("data")
	dataOfStmt     = statements.Get("data_of")
	dataSizeStmt   = statements.Get("data_size")
	putDataStmt    = statements.Get("put_data")
	removeDataStmt = statements.Get("remove_data")
	deleteDataStmt = statements.Get("delete_data")
)

// readData gives user data by key: of the keys, or of all where keys is nil, and
// with public only what other players may read. There are about as many as the
// entries of its head. It never gives nil.
func readData(tx store.Tx, title, player string, k kind, entries int64, keys []string, public bool) (map[string]UserDataRecord, error) {
	if keys != nil {
		entries = min(entries, int64(len(keys)))
	}
	records := make(map[string]UserDataRecord, min(entries, maxKeys))
	var at int64
	var stamp string // of at: keys that one call wrote have one time
	scan := func(r store.Row) error {
		permission := Private
		if r.Bool(2) {
			permission = Public
		} else if public {
			return nil
		}
		if updated := r.Int(3); stamp == "" || updated != at {
			at, stamp = updated, account.Stamp(updated)
		}
		records[r.Text(0)] = UserDataRecord{Value: r.Text(1), LastUpdated: stamp, Permission: permission}
		return nil
	}
	switch {
	case keys == nil:
		return records, tx.Query(dataStmt, scan, title, player, int64(k))
	case len(keys) == 0:
		return records, nil
	}
	list, err := nameList(keys)
	if err != nil {
		return nil, err
	}
	return records, tx.Query(dataOfStmt, scan, title, player, int64(k), list)
}

// nameList is a list of names as a statement takes it.
func nameList(names []string) (string, error) {
	b, err := json.Marshal(names)
	return string(b), err
}

// updateData applies a change to one kind of a player's data and gives the
// version that it made.
func updateData(tx store.Tx, title, player string, k kind, c *change, now int64) (uint32, error) {
	slices.SortFunc(c.set, func(a, b pair) int { return strings.Compare(a.key, b.key) })
	slices.Sort(c.remove)
	h, err := loadHead(tx, title, player, k)
	if err != nil {
		return 0, err
	}
	had := h.entries > 0
	for _, name := range c.remove {
		if !had {
			break
		}
		size, there, err := dataSize(tx, title, player, k, name)
		if err != nil {
			return 0, err
		}
		if !there {
			continue
		}
		if _, err := tx.Exec(removeDataStmt, title, player, int64(k), name); err != nil {
			return 0, err
		}
		h.entries, h.bytes = h.entries-1, h.bytes-size
	}
	for _, p := range c.set {
		if had {
			size, there, err := dataSize(tx, title, player, k, p.key)
			if err != nil {
				return 0, err
			}
			if there {
				h.entries, h.bytes = h.entries-1, h.bytes-size
			}
		}
		h.entries, h.bytes = h.entries+1, h.bytes+int64(len(p.key)+len(p.value))
		if _, err := tx.Exec(putDataStmt, title, player, int64(k), p.key, []byte(p.value), c.public, now); err != nil {
			return 0, err
		}
	}
	if err := h.fits(); err != nil {
		return 0, err
	}
	h.version++
	return uint32(h.version), h.store(tx, title, player, k)
}

// fits refuses more data of one kind than a player may have.
func (h head) fits() error {
	switch {
	case h.entries > maxKeys:
		return call.Refuse("TooManyKeys", "A player may have at most %d keys of one kind", maxKeys)
	case h.bytes > maxDataBytes:
		return call.Refuse("TotalDataSizeExceeded", "The data of a player may have at most %d bytes of one kind", maxDataBytes)
	}
	return nil
}

// dataSize gives what a key and its value count, and whether the key is there.
func dataSize(tx store.Tx, title, player string, k kind, name string) (size int64, there bool, err error) {
	there, err = store.QueryOne(tx, dataSizeStmt, func(r store.Row) error {
		size = r.Int(0) + int64(len(name))
		return nil
	}, title, player, int64(k), name)
	return size, there, err
}
