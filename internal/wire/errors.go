package wire

import (
	"net/http"
	"strings"
	"time"

	"ludgate"
)

// statusOf is the HTTP status of a kind of refusal.
func statusOf(k ludgate.Kind) int {
	switch k {
	case ludgate.Invalid:
		return http.StatusBadRequest
	case ludgate.Unauthenticated:
		return http.StatusUnauthorized
	case ludgate.Forbidden:
		return http.StatusForbidden
	case ludgate.NotFound:
		return http.StatusNotFound
	case ludgate.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case ludgate.Conflict:
		return http.StatusConflict
	case ludgate.Gone:
		return http.StatusGone
	case ludgate.Timeout:
		return http.StatusRequestTimeout
	case ludgate.TooLarge:
		return http.StatusRequestEntityTooLarge
	case ludgate.Unsupported:
		return http.StatusUnsupportedMediaType
	case ludgate.Unprocessable:
		return http.StatusUnprocessableEntity
	case ludgate.Throttled:
		return http.StatusTooManyRequests
	case ludgate.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// apiErrorWrapper is the error body of the player surface (P-7), members in the
// order clients are used to.
type apiErrorWrapper struct {
	Code         int                 `json:"code"`
	Status       string              `json:"status"`
	Error        string              `json:"error"`
	ErrorCode    int                 `json:"errorCode"`
	ErrorMessage string              `json:"errorMessage"`
	ErrorDetails map[string][]string `json:"errorDetails,omitempty"`
	RetryAfter   int                 `json:"retryAfterSeconds,omitzero"`
}

// playerError turns a refusal into the player surface's status and body.
func playerError(n *Naming, e *ludgate.Error) (int, any) {
	row, known := playerCodes[e.Code]
	if !known {
		row = playerCodes["InternalServerError"]
		if k := e.Kind; k != ludgate.Internal {
			row = playerCode{number: 1000, status: statusOf(k)}
		}
	}
	status := row.status
	if !n.Player.RichStatus && status > 400 && status < 500 && !row.everywhere {
		status = http.StatusBadRequest
	}
	name := e.Code
	if to, ok := n.Player.Errors[name]; ok {
		name = to
	}
	body := apiErrorWrapper{
		Code: status, Status: strings.ReplaceAll(http.StatusText(status), " ", ""),
		Error: name, ErrorCode: row.number, ErrorMessage: e.Message, RetryAfter: seconds(e.RetryAfter),
	}
	for _, d := range e.Details {
		if body.ErrorDetails == nil {
			body.ErrorDetails = map[string][]string{}
		}
		field, text := n.playerField(d.Target), d.Message
		if text == RequiredText(d.Target) { // names the member, too
			text = RequiredText(field)
		}
		body.ErrorDetails[field] = append(body.ErrorDetails[field], text)
	}
	return status, body
}

// RequiredText is how a refusal says that a member is missing.
func RequiredText(member string) string { return "The " + member + " field is required." }

// PlayerErrors are the refusals that the player surface has: their neutral names
// and numbers.
func PlayerErrors() map[string]int {
	all := make(map[string]int, len(playerCodes))
	for name, row := range playerCodes {
		all[name] = row.number
	}
	return all
}

// cloudError is the error body of the management surface (C-7).
type cloudError struct {
	Error cloudErrorBody `json:"error"`
}

type cloudErrorBody struct {
	Code    string           `json:"code"`
	Message string           `json:"message"`
	Target  string           `json:"target,omitempty"`
	Details []cloudErrorBody `json:"details,omitempty"`
}

// CloudErrorBody is the inner part of a CloudError for records that carry one,
// such as a failed operation.
type CloudErrorBody = cloudErrorBody

// CloudErrorOf turns a refusal into a CloudErrorBody.
func CloudErrorOf(e *ludgate.Error) CloudErrorBody {
	b := cloudErrorBody{Code: e.Code, Message: e.Message, Target: e.Target}
	for _, d := range e.Details {
		b.Details = append(b.Details, CloudErrorOf(d))
	}
	return b
}

// directoryError is the error body of the directory surface.
type directoryError struct {
	Error directoryErrorBody `json:"error"`
}

type directoryErrorBody struct {
	Code       string            `json:"code"`
	Message    string            `json:"message"`
	Details    []directoryDetail `json:"details,omitempty"`
	InnerError innerError        `json:"innerError"`
}

type directoryDetail struct {
	Target  string `json:"target"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type innerError struct {
	Date            string `json:"date"`
	RequestID       string `json:"request-id"`
	ClientRequestID string `json:"client-request-id"`
}

// directoryErrorOf turns a refusal into the directory surface's body. A detail
// whose code is its parent's is a plain InvalidValue.
func directoryErrorOf(e *ludgate.Error, id, clientID string, now time.Time) directoryError {
	if clientID == "" {
		clientID = id
	}
	b := directoryErrorBody{Code: e.Code, Message: e.Message, InnerError: innerError{
		Date: now.UTC().Format("2006-01-02T15:04:05"), RequestID: id, ClientRequestID: clientID,
	}}
	for _, d := range e.Details {
		code := d.Code
		if code == e.Code {
			code = "InvalidValue"
		}
		b.Details = append(b.Details, directoryDetail{Target: d.Target, Code: code, Message: d.Message})
	}
	return directoryError{b}
}

// seconds rounds a delay up to whole seconds.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
