package postgres

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// row is the row a query stands on. It reads the common types from their binary
// form by itself and leaves the rest to pgx.
type row struct {
	fields []pgconn.FieldDescription
	values [][]byte
	types  *pgtype.Map
	err    error // a column read as what it is not
}

// note keeps the first thing that was wrong.
func (r *row) note(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// at gives column i; ok is false when it is null or does not exist.
func (r *row) at(i int) (value []byte, field pgconn.FieldDescription, ok bool) {
	if i < 0 || i >= len(r.values) {
		r.note("column %d does not exist", i)
		return nil, field, false
	}
	return r.values[i], r.fields[i], r.values[i] != nil
}

// decode has pgx read a value.
func (r *row) decode(i int, f pgconn.FieldDescription, value []byte, into any) {
	if err := r.types.Scan(f.DataTypeOID, f.Format, value, into); err != nil {
		r.note("column %d: %w", i, err)
	}
}

func (r *row) Text(i int) string {
	value, f, ok := r.at(i)
	if !ok {
		return ""
	}
	if isText(f.DataTypeOID) {
		return string(value)
	}
	if f.DataTypeOID != pgtype.ByteaOID {
		r.note("column %d is not text", i)
		return ""
	}
	return string(r.Bytes(i))
}

func (r *row) Bytes(i int) []byte {
	value, f, ok := r.at(i)
	switch {
	case !ok:
		return nil
	case isText(f.DataTypeOID), f.DataTypeOID == pgtype.ByteaOID && f.Format == pgtype.BinaryFormatCode:
		return append(make([]byte, 0, len(value)), value...)
	case f.DataTypeOID == pgtype.ByteaOID:
		b := []byte{}
		r.decode(i, f, value, &b)
		return b
	}
	r.note("column %d is not bytes", i)
	return nil
}

func (r *row) Int(i int) int64 {
	value, f, ok := r.at(i)
	if !ok {
		return 0
	}
	if f.Format == pgtype.BinaryFormatCode {
		switch {
		case f.DataTypeOID == pgtype.Int8OID && len(value) == 8:
			return int64(binary.BigEndian.Uint64(value))
		case f.DataTypeOID == pgtype.Int4OID && len(value) == 4:
			return int64(int32(binary.BigEndian.Uint32(value)))
		}
	}
	switch f.DataTypeOID {
	case pgtype.BoolOID:
		truth := false
		if r.decode(i, f, value, &truth); truth {
			return 1
		}
		return 0
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID, pgtype.NumericOID:
		n := int64(0)
		r.decode(i, f, value, &n)
		return n
	}
	r.note("column %d is not an integer", i)
	return 0
}

func (r *row) Float(i int) float64 {
	value, f, ok := r.at(i)
	if !ok {
		return 0
	}
	switch f.DataTypeOID {
	case pgtype.Float8OID:
		if f.Format == pgtype.BinaryFormatCode && len(value) == 8 {
			return math.Float64frombits(binary.BigEndian.Uint64(value))
		}
	case pgtype.Float4OID, pgtype.NumericOID:
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID, pgtype.BoolOID:
		return float64(r.Int(i))
	default:
		r.note("column %d is not a number", i)
		return 0
	}
	n := 0.0
	r.decode(i, f, value, &n)
	return n
}

func (r *row) Bool(i int) bool { return r.Int(i) != 0 }

func (r *row) IsNull(i int) bool {
	_, _, ok := r.at(i)
	return !ok
}

// isText reports whether values of a type are their own text in both formats.
func isText(oid uint32) bool {
	switch oid {
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID, pgtype.UnknownOID:
		return true
	}
	return false
}
