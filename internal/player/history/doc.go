// Package history proves that the player service is linearizable: it records
// what concurrent callers of a running server asked and were told, also while
// the server is killed and started again, and checks with porcupine that one
// order of all calls explains every answer.
//
// A [World] is a handful of e-mail addresses, names, identities and custom ids
// that a group of callers fights over: they register, sign in, link, unlink,
// take from each other, rename, delete, and move coins. Worlds share nothing, so
// each is a history of its own and is checked by itself, which keeps checking
// fast. [Check] holds a history against the model; a call whose answer was lost
// may or may not have happened until the server was dead, and the model takes
// both. Where things are:
//
//   - op.go: calls and answers
//   - state.go, model.go: what a correct server does
//   - caller.go: calls over HTTP
//   - world.go: which calls are made, and the record of them
//
// Only tests import it; those of cmd/ludgate run it against the real program.
package history
