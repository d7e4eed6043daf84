package history

import (
	"fmt"
	"math"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Space is a kind of name that one account of a title at most can have.
type Space int

// Spaces.
const (
	Email Space = iota
	Username
	DisplayName
	StreamingID
	CustomID
	spaces
)

var spaceNames = [spaces]string{"e-mail", "user name", "display name", "streaming id", "custom id"}

func (s Space) String() string { return spaceNames[s] }

// Names are the names of an account, "" where it has none, in lower case.
type Names [spaces]string

// Kind is what a call does.
type Kind string

// Kinds. Those of the second group are made by a player, the account of the
// call's ID, those of the last by a server.
const (
	Register        Kind = "register" // Names, Password
	SignInCustom    Kind = "sign in by custom id"
	SignInStreaming Kind = "sign in by streaming id"
	SignInUsername  Kind = "sign in by user name"
	SignInEmail     Kind = "sign in by e-mail"

	LinkCustom      Kind = "link custom id"
	LinkStreaming   Kind = "link streaming id"
	UnlinkCustom    Kind = "unlink custom id"
	UnlinkStreaming Kind = "unlink streaming id"
	Rename          Kind = "change display name"
	AddPassword     Kind = "add user name and password" // Names, Password
	Own             Kind = "read own account"

	Find   Kind = "find" // by a name of Space
	Delete Kind = "delete"
	Pay    Kind = "pay" // Coins, which may be negative
)

// Op is a call.
type Op struct {
	Kind     Kind
	ID       string // PlatformId of the account that makes the call, or that it is about
	Space    Space  // of Value, where the kind leaves that open
	Value    string // the name that the call is about
	Names    Names  // of a registration
	Password string
	Force    bool // take the name from another account; for a sign-in: make an account
	Coins    int
}

// writes reports whether the call can change anything.
func (o Op) writes() bool {
	switch o.Kind {
	case Own, Find, SignInUsername, SignInEmail:
		return false
	case SignInCustom, SignInStreaming:
		return o.Force
	}
	return true
}

// Answer is what came back.
type Answer struct {
	Lost    bool         // nothing did
	Error   string       // name of the refusal, "" for success
	Taken   [spaces]bool // the names that a registration may not have
	ID      string       // PlatformId of the account signed in or found
	Created bool         // a sign-in made the account
	Names   Names        // of an account that was read
	Balance int
}

func (o Op) String() string {
	var b strings.Builder
	b.WriteString(string(o.Kind))
	if o.ID != "" {
		fmt.Fprintf(&b, " %s:", o.ID)
	}
	if o.Kind == Find {
		fmt.Fprintf(&b, " %s", o.Space)
	}
	if o.Value != "" {
		fmt.Fprintf(&b, " %s", o.Value)
	}
	for _, n := range o.Names {
		if n != "" {
			fmt.Fprintf(&b, " %s", n)
		}
	}
	if o.Coins != 0 {
		fmt.Fprintf(&b, " %+d", o.Coins)
	}
	if o.Password != "" {
		fmt.Fprintf(&b, " (%s)", o.Password)
	}
	if o.Force {
		b.WriteString(", by force")
	}
	return b.String()
}

func (a Answer) String() string {
	switch {
	case a.Lost:
		return "?"
	case a.Error != "":
		text := a.Error
		for s, taken := range a.Taken {
			if taken {
				text += ", " + Space(s).String()
			}
		}
		return text
	}
	text := "ok"
	if a.Created {
		text = "created"
	}
	if a.ID != "" {
		text += " " + a.ID
	}
	if a.Names != (Names{}) {
		text += fmt.Sprintf(" %q", a.Names)
	}
	return fmt.Sprintf("%s %d", text, a.Balance)
}

// Explain says where a history went wrong: the longest order of calls that the
// model could follow, its end, and the calls that could have come next, none of
// which fits.
func Explain(h []porcupine.Operation, info porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, order := range partition {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	line := func(o porcupine.Operation) string {
		return fmt.Sprintf("  %12d %12d  caller %d: %s -> %s\n", o.Call/1000, o.Return/1000, o.ClientId, o.Input, o.Output)
	}
	type id struct {
		client int
		call   int64
	}
	done := map[id]bool{}
	for _, o := range longest {
		done[id{o.ClientId, o.Call}] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d calls in order, at last (begin and end in µs):\n", len(longest), len(h))
	for _, o := range longest[max(0, len(longest)-25):] {
		b.WriteString(line(o))
	}
	left := int64(math.MaxInt64) // when the first of the others had returned
	for _, o := range h {
		if !done[id{o.ClientId, o.Call}] {
			left = min(left, o.Return)
		}
	}
	b.WriteString("none of these can be next:\n")
	for _, o := range h {
		if !done[id{o.ClientId, o.Call}] && o.Call <= left {
			b.WriteString(line(o))
		}
	}
	return b.String()
}
