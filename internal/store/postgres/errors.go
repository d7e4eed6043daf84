package postgres

import (
	"errors"
	"fmt"

	"ludgate/internal/store"

	"github.com/jackc/pgx/v5/pgconn"
)

// The SQLSTATE codes that matter here.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	featureNotSupported  = "0A000" // also: a prepared statement whose table has changed
	unknownStatement     = "26000"
	readOnlyTransaction  = "25006"
	diskFull             = "53100"
	tooManyConnections   = "53300"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
)

// code is the SQLSTATE of an error, or "".
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// mapError gives PostgreSQL's errors that a caller can act on the store's names.
func mapError(err error) error {
	var name error
	switch code(err) {
	case uniqueViolation:
		name = store.ErrTaken
	case readOnlyTransaction:
		name = store.ErrReadOnly
	case diskFull:
		name = store.ErrFull
	case tooManyConnections, serializationFailure, deadlockDetected:
		name = store.ErrBusy
	default:
		return err
	}
	return fmt.Errorf("%w: %w", name, err)
}

// passes reports whether a statement's failure may be gone when the transaction
// runs again: it collided with another, or its connection or its preparation has
// become stale.
func passes(err error) bool {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return errors.Is(err, errLost) || pgconn.SafeToRetry(err)
	}
	switch e.Code {
	case serializationFailure, deadlockDetected, unknownStatement, adminShutdown, crashShutdown, cannotConnectNow:
		return true
	case featureNotSupported:
		return e.Routine == "RevalidateCachedQuery"
	}
	return false
}
