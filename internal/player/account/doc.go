// Package account keeps the stored accounts of players: one row for each, and
// the names it holds in the ledger.
//
// An [Account] is read with [Get] or by signing in ([SignIn]), made with
// [Create], and changed with [Change], which also takes and gives up the names
// that the change adds and drops. An account and its names are stored together
// or not at all (P-4.R1). Where things are:
//
//   - account.go: the row and its statements
//   - change.go: making, changing and deleting, with the names
//   - names.go: which names an account has, and when two are the same
//   - rules.go, email.go: which names and passwords are acceptable
package account
