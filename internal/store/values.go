package store

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckArgs refuses arguments that not every implementation could keep as they
// are: types other than those [Row] names, and text that holds a zero byte or is
// not UTF-8. Implementations call it, so that a statement that works on one
// works on the other.
func CheckArgs(stmt *Stmt, args []any) error {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			if strings.IndexByte(v, 0) >= 0 {
				return fmt.Errorf("store: statement %s: argument $%d: %w", stmt.Name(), i+1, ErrZeroByte)
			}
			if !utf8.ValidString(v) {
				return fmt.Errorf("store: statement %s: argument $%d is not UTF-8", stmt.Name(), i+1)
			}
		case int64, bool, float64, []byte, nil:
		default:
			return fmt.Errorf("store: statement %s: argument $%d has type %T", stmt.Name(), i+1, arg)
		}
	}
	return nil
}

// CheckTopic refuses a topic that not every implementation can carry.
func CheckTopic(topic string) error {
	if topic == "" || len(topic) > 1000 || strings.IndexByte(topic, 0) >= 0 || !utf8.ValidString(topic) {
		return fmt.Errorf("store: topic of %d bytes is not a short word", len(topic))
	}
	return nil
}
