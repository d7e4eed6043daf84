package wire

import (
	"context"
	"errors"
	"time"

	"ludgate"
	"ludgate/internal/store"
)

// storeTrouble gives the errors of the store, and of waiting for it, that a
// caller can wait out, or an operator can end, the shape of a refusal: 503, and
// when to come back. A refusal of a service and a fault stay what they are.
func storeTrouble(err error) error {
	var refusal *ludgate.Error
	if errors.As(err, &refusal) {
		return err
	}
	for _, t := range []struct {
		is      error
		message string
		after   time.Duration
	}{
		{store.ErrBusy, "The server has more writes waiting than it can take; try again in a moment.", time.Second},
		{store.ErrClosed, "The server is shutting down; try again in a moment.", time.Second},
		{store.ErrFull, "The server has no space left to store this.", time.Minute},
		{store.ErrReadOnly, "The server cannot write its store.", time.Minute},
		{context.Canceled, "The request was cancelled.", 0}, // its caller has gone; no fault of ours
		{context.DeadlineExceeded, "The request took too long; try again in a moment.", time.Second},
	} {
		if errors.Is(err, t.is) {
			return ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "%s", t.message).After(t.after).Because(err)
		}
	}
	return err
}
