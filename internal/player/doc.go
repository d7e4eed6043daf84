// Package player keeps the player accounts of titles: it registers players and
// signs them in (contract 1, sections 1 to 8).
//
// Make a [Service] with [New] on a store that has the schemas of [Areas], and
// serve its [Service.Routes]. Its parts have packages of their own:
//
//   - title: what a title is: settings, keys, policy, data
//   - account: a stored account and the names it holds
//   - call: what every call does before its own work
//   - part, bulk: players as wholes: deletion, export, import
//   - operator: what the people who run an installation do
//   - recovery: a new password by e-mail
//
// Here are:
//
//   - records.go, info.go: the records of the wire
//   - rules.go: what a registration may say, each rule with its id
//   - service.go: registration
//   - signin.go: the way that all sign-ins go; streaming.go, passwords.go and
//     identities.go: how each of them proves who comes
//   - links.go: further ways to sign in
//   - playersecrets.go: secrets that requests are signed with, the key for
//     encrypted ones
//   - accounts.go: what is known of an account, display names; displaynames.go:
//     the filter that they pass
//   - proofs.go: tickets and entity tokens
//   - titledata.go, policy.go, sharedsecrets.go: what a title's tools decide
//   - answer.go: from an account to the records of a reply
//   - lifecycle.go: calls that remove players
//   - routes.go: the calls
//
// # Promises
//
//   - An account and every name it claims are stored together or not at all. Of
//     any number of registrations for one name that run at the same time, on any
//     number of nodes, exactly one succeeds (P-4.R1).
//   - A streaming identity has one account per title, also when its first
//     sign-ins run at the same time (P-4.R5).
//   - A sign-in that was answered is on disk with its time; one that was refused
//     leaves nothing behind.
//   - A link that is forced moves an identity from one account to the other at one
//     moment.
//   - Whether an account exists shows in the answer to a wrong password, not in the
//     time it takes.
//   - Nothing of one title shows in another (P-1.R1).
//   - Names are checked before the password is hashed, so that a name that is
//     taken costs no processor time, and checked again when they are claimed.
package player
