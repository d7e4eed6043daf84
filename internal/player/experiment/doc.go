// Package experiment splits a title's players among the variants of A/B
// experiments (P-2.TreatmentAssignment).
//
// An experiment has variants, each with a share of the players and with
// variables that the game reads at sign-in. Experiments of one exclusion group
// share out the players among them: a player is in at most one of those that
// run. [Service.Assign] says what a player gets; the calls under
// /Experimentation/ are how a title's operators keep the definitions. Where
// things are:
//
//   - records.go: the records of the wire
//   - definition.go: a stored experiment and exclusion group
//   - rules.go: what a definition may say
//   - plan.go: who gets which variant
//   - service.go: the snapshot of all definitions that every node follows, and
//     what players have been exposed to
//   - manage.go: the operations on definitions
//   - routes.go: HTTP in and out
//
// # Promises
//
//   - Who gets which variant follows from the player's id and the experiment's
//     alone, so all nodes say the same.
//   - The first time a player gets a variant, that is stored, and it stays for as
//     long as the experiment runs, whatever becomes of the percentages.
//   - A title without a running experiment costs a sign-in nothing: no read, no
//     write.
//   - A change of a definition shows on the node that made it with its answer,
//     on others a moment later.
//
// Segments, title data overrides and scorecards are not supported; a definition
// that asks for one is refused.
package experiment
