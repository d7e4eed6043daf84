// Package ludgate is the vocabulary of Ludgate: identifiers, names, states and
// the one error type that every floor of the house speaks.
//
// It holds no I/O and imports nothing else of Ludgate. Start reading at [Error]
// (how a refusal travels), [Clock] (where time comes from) and the enumerations
// of states.go (what a container group may say about itself). The map of the
// whole house is docs/design/house.md.
package ludgate
