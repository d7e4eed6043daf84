// Package ticket makes and checks the proofs that a player carries after signing
// in: the session ticket and the entity token (P-5).
//
// Both are stateless. Everything a service needs to know about the bearer is
// inside, signed with HMAC-SHA256, so that checking one takes a microsecond and
// no read. To clients they are opaque text of ASCII letters, digits, "-" and "_":
//
//	session ticket: PlatformId "-" sealed claims
//	entity token:   sealed claims
//
// [Issuer] makes and checks them. Beneath it, a [Ring] is a file of signing keys
// that seals any short payload for a purpose; what was sealed for one purpose
// does not open for another.
//
// Every key of the file checks, and the newest whose time has come signs.
// [Rotate] puts a new one in front, which at first only checks, so that all
// servers know it before the first proof signed with it appears; the old one
// stays until the last proof it signed has expired, so a rotation signs nobody
// out. A running server looks at the file every second ([Ring.Watch]). Several
// nodes share one ring by having the same file.
package ticket
