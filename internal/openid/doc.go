// Package openid finds out whom an ID token of an OpenID Connect provider
// belongs to, so that players can sign in with it (P-2.UserOpenIdInfo).
//
// Make one [Verifier] for the process with [New] and call [Verifier.Verify] with
// a [Connection], which says which provider and which of its clients, and the
// token a game received from that provider. What the token must satisfy is in
// Verify's comment. Where things are:
//
//   - connection.go: what a connection is, and which ones can be used
//   - verifier.go: the checks of a token
//   - keys.go: a provider's keys, when they are fetched and how long they hold
//   - guard.go: what a provider's URL may reach, and how much it may answer
//   - nonce.go: a token with a nonce opens one sign-in
//
// It is written for providers that misbehave and for connections that somebody
// else wrote down: an answer has five seconds and a bounded body, redirects lead
// to no other host, and a URL reaches neither this machine nor a private network
// unless the options say so. Callers cannot make it ask a provider at will: an
// unknown key has the keys fetched again at most every half minute, for all
// callers together. Nothing of this is shared between nodes.
package openid
