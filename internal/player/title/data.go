package title

import (
	"ludgate/internal/store"
)

var (
	dataAllStmt    = statements.Get("data_all")
	dataGetStmt    = statements.Get("data_get")
	dataCountStmt  = statements.Get("data_count")
	dataPutStmt    = statements.Get("data_put")
	dataDeleteStmt = statements.Get("data_delete")
	dataClearStmt  = statements.Get("data_clear")
)

// Data gives a title's data: the values of keys, or all when keys is nil. Keys
// that do not exist are left out. internal data is for servers only.
func Data(tx store.Tx, titleID string, internal bool, keys []string) (map[string]string, error) {
	out := map[string]string{}
	if keys == nil {
		err := tx.Query(dataAllStmt, func(r store.Row) error { out[r.Text(0)] = r.Text(1); return nil }, titleID, internal)
		return out, err
	}
	for _, key := range keys {
		_, err := store.QueryOne(tx, dataGetStmt, func(r store.Row) error { out[key] = r.Text(0); return nil }, titleID, internal, key)
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// SetData stores one value and gives how many other keys there are.
func SetData(tx store.Tx, titleID string, internal bool, key, value string) (others int64, err error) {
	if _, err := store.QueryOne(tx, dataCountStmt, func(r store.Row) error { others = r.Int(0); return nil }, titleID, internal, key); err != nil {
		return 0, err
	}
	_, err = tx.Exec(dataPutStmt, titleID, internal, key, value)
	return others, err
}

// DeleteData removes one value.
func DeleteData(tx store.Tx, titleID string, internal bool, key string) error {
	_, err := tx.Exec(dataDeleteStmt, titleID, internal, key)
	return err
}
