package sqlite

import (
	"fmt"

	"ludgate/internal/store"

	"zombiezen.com/go/sqlite"
)

// mapError gives SQLite's errors that a caller can act on the store's names.
func mapError(err error) error {
	if err == nil {
		return nil
	}
	code := sqlite.ErrCode(err)
	switch code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", store.ErrTaken, err)
	}
	switch code.ToPrimary() {
	case sqlite.ResultFull:
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	case sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w", store.ErrReadOnly, err)
	case sqlite.ResultBusy:
		return fmt.Errorf("%w: %w", store.ErrBusy, err)
	}
	return err
}

// endsBatch reports whether an error says that the file, not one caller's
// statement, is the trouble: then nothing of the batch may be kept.
func endsBatch(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultNoMem, sqlite.ResultCorrupt,
		sqlite.ResultReadOnly, sqlite.ResultCantOpen, sqlite.ResultNotADB, sqlite.ResultBusy, sqlite.ResultInterrupt:
		return true
	}
	return false
}
