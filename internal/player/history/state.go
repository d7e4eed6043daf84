package history

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// account is an account as the model knows it.
type account struct {
	id       string // "" where the answer that would have told was lost
	names    Names
	password string
	coins    int
}

// state is all accounts of a world. It is never changed.
type state struct {
	accounts []account // in the order of compare
	key      string    // the same as text, to compare states by
}

// newState makes a state of accounts, which it keeps.
func newState(accounts []account) *state {
	slices.SortFunc(accounts, compare)
	var b strings.Builder
	for _, a := range accounts {
		fmt.Fprintf(&b, "%s|%s|%s|%d\n", a.id, strings.Join(a.names[:], "|"), a.password, a.coins)
	}
	return &state{accounts, b.String()}
}

func compare(a, b account) int {
	return cmp.Or(cmp.Compare(a.id, b.id), slices.Compare(a.names[:], b.names[:]),
		cmp.Compare(a.password, b.password), cmp.Compare(a.coins, b.coins))
}

var seed = maphash.MakeSeed()

func (s *state) hash() uint64 { return maphash.String(seed, s.key) }

// owner is the index of the account that has a name, or -1.
func (s *state) owner(space Space, name string) int {
	if name == "" {
		return -1
	}
	return slices.IndexFunc(s.accounts, func(a account) bool { return a.names[space] == name })
}

// find is the index of the account of an id, or -1.
func (s *state) find(id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(s.accounts, func(a account) bool { return a.id == id })
}

// taken says which names belong to accounts other than self.
func (s *state) taken(names Names, self int) (taken [spaces]bool) {
	for space, name := range names {
		owner := s.owner(Space(space), name)
		taken[space] = owner >= 0 && owner != self
	}
	return taken
}

// with is the state with a further account.
func (s *state) with(a account) *state {
	return newState(append(slices.Clone(s.accounts), a))
}

// without is the state without an account.
func (s *state) without(i int) *state {
	return newState(slices.Delete(slices.Clone(s.accounts), i, i+1))
}

// edit is the state with accounts changed by fn, which gets a copy.
func (s *state) edit(fn func(all []account)) *state {
	all := slices.Clone(s.accounts)
	fn(all)
	return newState(all)
}
