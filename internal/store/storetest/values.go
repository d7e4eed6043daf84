package storetest

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"ludgate/internal/store"
)

var valueTests = []suiteTest{
	{name: "come back as they went", run: valuesComeBack},
	{name: "nulls read as zero values", run: func(s suite) {
		s.write(func(tx store.Tx) error {
			_, err := tx.Exec(putAll, "a", nil, nil, []byte(nil), nil, nil)
			return err
		})
		s.read(func(tx store.Tx) error {
			return tx.Query(getAll, func(r store.Row) error {
				for i := 1; i < 6; i++ {
					if !r.IsNull(i) {
						s.Errorf("column %d is not null", i)
					}
				}
				if r.IsNull(0) || r.Int(1) != 0 || r.Text(2) != "" || r.Bytes(3) != nil || r.Float(4) != 0 || r.Bool(5) {
					s.Error("a null is not read as the zero value")
				}
				return nil
			}, "a")
		})
	}},
	{name: "an empty text or byte string is not null", run: func(s suite) {
		s.write(func(tx store.Tx) error {
			_, err := tx.Exec(putAll, "a", int64(0), "", []byte{}, 0.0, false)
			return err
		})
		s.read(func(tx store.Tx) error {
			return tx.Query(getAll, func(r store.Row) error {
				for i := range 6 {
					if r.IsNull(i) {
						s.Errorf("column %d is null", i)
					}
				}
				if b := r.Bytes(3); b == nil || len(b) != 0 {
					s.Errorf("bytes %v, want empty ones", b)
				}
				return nil
			}, "a")
		})
	}},
	{name: "large ones are kept whole", run: largeValues},
	{name: "parameters go by number, and marks in quotes stay", run: func(s suite) {
		st := store.NewStmt("numbered", `SELECT CAST($2 AS TEXT), '$1', CAST($1 AS TEXT), /* $3 */ CAST($2 AS TEXT) AS "$9" -- $4
`)
		s.read(func(tx store.Tx) error {
			return tx.Query(st, func(r store.Row) error {
				if got := fmt.Sprint(r.Text(0), r.Text(1), r.Text(2), r.Text(3)); got != "two$1onetwo" {
					s.Errorf("read %s", got)
				}
				return nil
			}, "one", "two")
		})
	}},
	{name: "more than nine parameters", run: func(s suite) {
		st := store.NewStmt("ten", `SELECT CAST($10 AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), CAST($8 AS TEXT), CAST($9 AS TEXT)`)
		s.read(func(tx store.Tx) error {
			return tx.Query(st, func(r store.Row) error {
				if r.Text(0) != "k" || r.Text(1) != "b" {
					s.Errorf("read %s and %s, want k and b", r.Text(0), r.Text(1))
				}
				return nil
			}, "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")
		})
	}},
	{name: "counts, sums and truths read as integers", run: func(s suite) {
		s.put(20, "a", "b")
		st := store.NewStmt("sums", `SELECT count(*), sum(n), max(n), 7, EXISTS (SELECT 1 FROM item), n = 20 FROM item GROUP BY n`)
		s.read(func(tx store.Tx) error {
			return tx.Query(st, func(r store.Row) error {
				if r.Int(0) != 2 || r.Int(1) != 40 || r.Int(2) != 20 || r.Int(3) != 7 || !r.Bool(4) || !r.Bool(5) {
					s.Errorf("read %d %d %d %d %v %v", r.Int(0), r.Int(1), r.Int(2), r.Int(3), r.Bool(4), r.Bool(5))
				}
				if r.Float(0) != 2 {
					s.Errorf("a count reads as the float %v", r.Float(0))
				}
				return nil
			})
		})
	}},
}

func valuesComeBack(s suite) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	type record struct {
		n      int64
		note   string
		data   []byte
		weight float64
		ok     bool
	}
	records := []record{
		{0, "plain", []byte("x"), 1.5, true},
		{math.MaxInt64, "ünïcödé 漢字 𝄞 \u202e\u00a0", every, math.MaxFloat64, false},
		{math.MinInt64, "'quoted' \"twice\" \\ % _ $1 ?1 --", []byte{0}, -math.SmallestNonzeroFloat64, true},
		{-1, "line\nbreak\ttab\r", []byte{0xff, 0x00}, 0.1, false},
		{1 << 53, "e\u0301 stays apart from \u00e9", []byte("text"), -0.5, true},
		{(1 << 53) + 1, "123", []byte("123"), 3, true},
	}
	for i, want := range records {
		id := fmt.Sprint("v", i)
		s.write(func(tx store.Tx) error {
			_, err := tx.Exec(putAll, id, want.n, want.note, want.data, want.weight, want.ok)
			return err
		})
		s.read(func(tx store.Tx) error {
			found, err := store.QueryOne(tx, getAll, func(r store.Row) error {
				got := record{r.Int(1), r.Text(2), r.Bytes(3), r.Float(4), r.Bool(5)}
				if got.n != want.n || got.note != want.note || !bytes.Equal(got.data, want.data) || got.weight != want.weight || got.ok != want.ok {
					s.Errorf("record %d: read %+v, wrote %+v", i, got, want)
				}
				if string(r.Bytes(2)) != want.note {
					s.Errorf("record %d: the text's bytes are %q", i, r.Bytes(2))
				}
				return nil
			}, id)
			if err == nil && !found {
				s.Errorf("record %d is missing", i)
			}
			return err
		})
	}
}

func largeValues(s suite) {
	const size = 3 << 20
	text, data := strings.Repeat("grüße ", size/7), bytes.Repeat([]byte{0, 1, 254, 255}, size/4)
	note := store.NewStmt("note", `INSERT INTO item (id, data) VALUES ($1, $2)`)
	s.write(func(tx store.Tx) error {
		if _, err := tx.Exec(store.NewStmt("big", `CREATE TABLE big (id TEXT PRIMARY KEY, body TEXT)`)); err != nil {
			return err
		}
		if _, err := tx.Exec(store.NewStmt("put_big", `INSERT INTO big (id, body) VALUES ($1, $2)`), "a", text); err != nil {
			return err
		}
		_, err := tx.Exec(note, "a", data)
		return err
	})
	s.read(func(tx store.Tx) error {
		err := tx.Query(store.NewStmt("get_big", `SELECT b.body, i.data FROM big b JOIN item i ON i.id = b.id`), func(r store.Row) error {
			if r.Text(0) != text {
				s.Error("the text has changed")
			}
			if !bytes.Equal(r.Bytes(1), data) {
				s.Error("the bytes have changed")
			}
			return nil
		})
		return err
	})
}
