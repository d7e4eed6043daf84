package ludgate

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of refusal an [Error] is. The edge turns it into an HTTP
// status where a surface has no more exact row for the error's code.
type Kind uint8

// The kinds of refusal.
const (
	Internal         Kind = iota // 500: a fault of ours; the cause is logged, never sent
	Invalid                      // 400: the request cannot be right whoever sends it
	Unauthenticated              // 401: no principal, or its proof does not hold
	Forbidden                    // 403: the principal may not do this
	NotFound                     // 404: what the request names does not exist
	MethodNotAllowed             // 405: the path exists, the method does not
	Conflict                     // 409: the request collides with present state
	Gone                         // 410: a token of ours that can no longer be used
	Timeout                      // 408: the request did not arrive in time
	TooLarge                     // 413: a body above the surface's limit
	Unsupported                  // 415: a content type or encoding that is not spoken here
	Unprocessable                // 422: well-formed, but fails a check that was asked for
	Throttled                    // 429: too many requests; RetryAfter says when to come back
	Unavailable                  // 503: a resource of ours is missing or busy; try later
)

// Error is the only error type that crosses from a service to the edge. Code is
// the neutral name of the contract (for example "UsernameNotAvailable" or
// "InvalidContainerName"); the edge looks it up in one table per surface.
// Message is for people and must never hold a secret, a stack or SQL. Target
// names the faulty member or property path. Details are further refusals found
// in the same request. The cause is for the log only.
type Error struct {
	Kind       Kind
	Code       string
	Message    string
	Target     string
	Details    []*Error
	RetryAfter time.Duration

	cause error
}

// Errorf makes an Error of the given kind and code.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error gives the code, the message and the cause, for logs.
func (e *Error) Error() string {
	s := e.Code
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Target != "" {
		s += " (" + e.Target + ")"
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// At sets the target and returns e.
func (e *Error) At(target string) *Error { e.Target = target; return e }

// With appends a detail about target and returns e.
func (e *Error) With(target, message string) *Error {
	e.Details = append(e.Details, &Error{Kind: e.Kind, Code: e.Code, Target: target, Message: message})
	return e
}

// Because records the cause, for the log, and returns e.
func (e *Error) Because(cause error) *Error { e.cause = cause; return e }

// After sets when to try again and returns e.
func (e *Error) After(d time.Duration) *Error { e.RetryAfter = d; return e }

// AsError finds the Error in err's chain; any other non-nil error becomes an
// Internal one that keeps err as its cause.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Errorf(Internal, "InternalServerError", "An internal error occurred.").Because(err)
}

// IsCode reports whether err carries an Error with the given code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
