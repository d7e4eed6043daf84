// Package call is what every player call does before its own work: it finds out
// which title the call is for and who makes it, holds the call against the
// title's policy, checks a signature, reads the body, opens what of it is
// encrypted, and sees that required members are there.
//
// A part of the player service makes its routes with [Post], which does all of
// that and hands a [Call] and the decoded request to the part's function:
//
//	call.Post(g, call.Session, "/Client/GetTime", s.getTime)
//
// Where things are:
//
//   - gate.go: the steps, in their order
//   - proof.go: tickets, secret keys and entity tokens
//   - signature.go: signed requests
//   - encrypted.go: encrypted requests
//   - faults.go: what is wrong with the members of a request
//   - records.go: records that several parts use
package call
