package history

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// Model is what a correct server does with the accounts of one world.
func Model() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{newState(nil)} },
		Step: func(s, in, out any) []any {
			var next []any
			for _, n := range step(s.(*state), in.(Op), out.(Answer)) {
				next = append(next, n)
			}
			return next
		},
		Equal:             func(a, b any) bool { return a.(*state).key == b.(*state).key },
		Hash:              func(s any) uint64 { return s.(*state).hash() },
		DescribeOperation: func(in, out any) string { return in.(Op).String() + " -> " + out.(Answer).String() },
		DescribeState:     func(s any) string { return s.(*state).key },
	}
	return m.ToModel()
}

// Check holds a history against the model.
func Check(h []porcupine.Operation, timeout time.Duration) (porcupine.CheckResult, porcupine.LinearizationInfo) {
	return porcupine.CheckOperationsVerbose(Model(), h, timeout)
}

// step gives the states that a call with its answer can lead to; none when the
// answer is wrong in this state. A call whose answer was lost has happened with
// the answer it would have had, or has not.
func step(s *state, o Op, a Answer) []*state {
	if a.Error == "FailedLoginAttemptRateLimitExceeded" { // says nothing and does nothing
		return []*state{s}
	}
	if a.Lost {
		next, _ := apply(s, o, "")
		if next == s {
			return []*state{s}
		}
		return []*state{s, next}
	}
	// An id that nobody was told yet becomes known with the first answer that has it.
	if a.ID != "" && s.find(a.ID) < 0 && !a.Created && o.Kind != Register {
		s = s.bind(o, a.ID)
	}
	if fresh := a.Created || o.Kind == Register && a.Error == ""; fresh && (a.ID == "" || s.find(a.ID) >= 0) {
		return nil // a new account has an id of its own
	}
	next, want := apply(s, o, a.ID)
	if o.ID != "" && s.find(o.ID) < 0 {
		// The proof of an account that is gone may be known to be, or not yet.
		if a.Error == "NotAuthenticated" && o.Kind != Delete && o.Kind != Pay {
			a.Error = "AccountNotFound"
		}
	}
	if a != want {
		return nil
	}
	return []*state{next}
}

// bind gives the account that a call found its id, if it has none.
func (s *state) bind(o Op, id string) *state {
	i := s.owner(o.name())
	if i < 0 || s.accounts[i].id != "" {
		return s
	}
	return s.edit(func(all []account) { all[i].id = id })
}

// name is the name by which a sign-in or a search finds an account.
func (o Op) name() (Space, string) {
	switch o.Kind {
	case SignInCustom:
		return CustomID, o.Value
	case SignInStreaming:
		return StreamingID, o.Value
	case SignInUsername:
		return Username, o.Value
	case SignInEmail:
		return Email, o.Value
	}
	return o.Space, o.Value
}

// apply makes a call: the state after it and the answer. id is what a new
// account shall be called.
func apply(s *state, o Op, id string) (*state, Answer) {
	switch o.Kind {
	case Register:
		return register(s, o, id)
	case SignInCustom, SignInStreaming, SignInUsername, SignInEmail:
		return signIn(s, o, id)
	case Find:
		if i := s.owner(o.name()); i >= 0 {
			return s, Answer{ID: s.accounts[i].id, Names: s.accounts[i].names}
		}
		return s, Answer{Error: "AccountNotFound"}
	}
	self := s.find(o.ID)
	if self < 0 {
		return s, Answer{Error: "AccountNotFound"}
	}
	switch o.Kind {
	case LinkCustom:
		return link(s, o, self, CustomID, "LinkedIdentifierAlreadyClaimed")
	case LinkStreaming:
		if s.accounts[self].names[StreamingID] != "" {
			return s, Answer{Error: "AccountAlreadyLinked"}
		}
		return link(s, o, self, StreamingID, "LinkedAccountAlreadyClaimed")
	case UnlinkCustom:
		return unlink(s, self, CustomID)
	case UnlinkStreaming:
		return unlink(s, self, StreamingID)
	case Rename:
		if owner := s.owner(DisplayName, o.Value); owner >= 0 && owner != self {
			return s, Answer{Error: "NameNotAvailable"}
		}
		return s.edit(func(all []account) { all[self].names[DisplayName] = o.Value }), Answer{}
	case AddPassword:
		return addPassword(s, o, self)
	case Own:
		return s, Answer{ID: o.ID, Names: s.accounts[self].names}
	case Delete:
		return s.without(self), Answer{}
	case Pay:
		balance := s.accounts[self].coins + o.Coins // servers may take more than there is
		return s.edit(func(all []account) { all[self].coins = balance }), Answer{Balance: balance}
	}
	panic("history: no such call: " + string(o.Kind))
}

// takenErrors are the refusals of names that belong to others; the first one
// names it.
var takenErrors = [...]string{Email: "EmailAddressNotAvailable", Username: "UsernameNotAvailable", DisplayName: "NameNotAvailable"}

// refused is the refusal of names, if there is one.
func refused(taken [spaces]bool) (Answer, bool) {
	for space, code := range takenErrors {
		if taken[space] {
			return Answer{Error: code, Taken: taken}, true
		}
	}
	return Answer{}, false
}

func register(s *state, o Op, id string) (*state, Answer) {
	if a, no := refused(s.taken(o.Names, -1)); no {
		return s, a
	}
	return s.with(account{id: id, names: o.Names, password: o.Password}), Answer{ID: id}
}

func addPassword(s *state, o Op, self int) (*state, Answer) {
	if a := s.accounts[self]; a.names[Username] != "" || a.names[Email] != "" {
		return s, Answer{Error: "AccountAlreadyLinked"}
	}
	if a, no := refused(s.taken(o.Names, self)); no {
		return s, a
	}
	return s.edit(func(all []account) {
		all[self].names[Username], all[self].names[Email] = o.Names[Username], o.Names[Email]
		all[self].password = o.Password
	}), Answer{}
}

// signIn finds the account of a name, or makes one where the call wants that.
func signIn(s *state, o Op, id string) (*state, Answer) {
	space, name := o.name()
	i := s.owner(space, name)
	byPassword := o.Kind == SignInUsername || o.Kind == SignInEmail
	switch {
	case i < 0 && o.Force && !byPassword:
		a := account{id: id}
		a.names[space] = name
		return s.with(a), Answer{ID: id, Created: true}
	case i < 0:
		return s, Answer{Error: "AccountNotFound"}
	case o.Kind == SignInUsername && s.accounts[i].password != o.Password:
		return s, Answer{Error: "InvalidUsernameOrPassword"}
	case o.Kind == SignInEmail && s.accounts[i].password != o.Password:
		return s, Answer{Error: "InvalidEmailOrPassword"}
	}
	return s, Answer{ID: s.accounts[i].id}
}

// link gives an account an identity, by force also that of another account.
func link(s *state, o Op, self int, space Space, claimed string) (*state, Answer) {
	owner := s.owner(space, o.Value)
	if owner >= 0 && owner != self && !o.Force {
		return s, Answer{Error: claimed}
	}
	return s.edit(func(all []account) {
		if owner >= 0 {
			all[owner].names[space] = ""
		}
		all[self].names[space] = o.Value
	}), Answer{}
}

func unlink(s *state, self int, space Space) (*state, Answer) {
	if s.accounts[self].names[space] == "" {
		return s, Answer{Error: "AccountNotLinked"}
	}
	return s.edit(func(all []account) { all[self].names[space] = "" }), Answer{}
}
