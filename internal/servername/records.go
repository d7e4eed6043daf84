package servername

import "github.com/go-json-experiment/json/jsontext"

// checkRequest is a NameAvailabilityRequest. Null and absent are one.
type checkRequest struct {
	Name *string `json:"name"`
	Type *string `json:"type"`
}

// checkReply is a NameAvailabilityResponse. Reason and Message are absent when
// the name is free.
type checkReply struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Message   string `json:"message,omitzero"`
	Reason    reason `json:"reason,omitzero"`
}

// reason says why a name is not available.
type reason string

const (
	reasonInvalid       reason = "Invalid"
	reasonAlreadyExists reason = "AlreadyExists"
)

// serverRequest is what a PUT may set. Members that it does not name are the
// reply's own, or unknown, and change nothing.
type serverRequest struct {
	Location   string                    `json:"location"`
	Tags       map[string]string         `json:"tags"`
	Properties map[string]jsontext.Value `json:"properties"`
	Identity   jsontext.Value            `json:"identity"`
}

// place is where a server lives: the spelling of the PUT that made it.
type place struct {
	Subscription  string `json:"subscription"`
	ResourceGroup string `json:"resourceGroup"`
}

// record is a server as the store keeps it.
type record struct {
	place
	Location string            `json:"location"`
	Tags     map[string]string `json:"tags,omitempty"`
}

// serverReply is a server on the wire.
type serverReply struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Type       string            `json:"type"`
	Location   string            `json:"location"`
	Tags       map[string]string `json:"tags"`
	Properties serverProperties  `json:"properties"`
}

// serverProperties says what a server is here.
type serverProperties struct {
	State string `json:"state"`
}

// stateReserved is the state of every server: its name is held, nothing runs.
const stateReserved = "NameReserved"

// listReply is one page of servers.
type listReply struct {
	Value    []serverReply `json:"value"`
	NextLink string        `json:"nextLink,omitzero"`
}
