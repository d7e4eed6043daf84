// Package player keeps the player accounts of titles: it registers players and
// signs them in (contract 1, sections 1 to 8).
//
// Make a [Service] with [New] on a store that has the schema of [Area], and
// serve its [Service.Routes]. Where things are:
//
//   - titles.go: what a title is and which titles there are
//   - records.go, info.go: the records of the wire
//   - rules.go, email.go: what a request may say, each rule with its id
//   - names.go: when two names are the same
//   - account.go: a stored account and the statements that keep it
//   - service.go, signin.go: the operations
//   - proofs.go: session tickets and entity tokens
//   - answer.go: from an account to the records of a reply
//   - routes.go: HTTP in and out
//
// # Promises
//
//   - An account and every name it claims are stored together or not at all. Of
//     any number of registrations for one name that run at the same time, on any
//     number of nodes, exactly one succeeds (P-4.R1).
//   - A streaming identity has one account per title, also when its first
//     sign-ins run at the same time (P-4.R5).
//   - A sign-in that was answered is on disk with its time.
//   - Nothing of one title shows in another (P-1.R1).
//   - Names are checked before the password is hashed, so that a name that is
//     taken costs no processor time, and checked again when they are claimed.
package player
