// Package bulk deals with players as wholes: the account, the names it holds and
// what every part of the service keeps of it.
//
// A [Bulk] removes one player ([Bulk.Remove]) or all of a title in batches
// ([Bulk.Purge]), and writes and reads players as JSON lines ([Bulk.Export],
// [Bulk.Import]), one player a line, all of a player in it:
//
//	{"id":"000A1B2C3D4E5F60","username":"Ann42","email":"ann@example.com",
//	 "password":"$argon2id$…","created":"2026-03-04T05:06:07.89Z",
//	 "parts":{"data":{…},"economy":{…}}}
//
// Such a file holds password hashes and player secrets: keep it as private as the
// data directory. Where things are:
//
//   - record.go: a line and its rules
//   - export.go, import.go: pages of lines out, batches of lines in
//   - remove.go: removal
//
// # Promises
//
//   - A batch of an import is stored together and is durable when it is answered;
//     an import that was cut off goes on with Skip, which passes over what is
//     there.
//   - A player is imported whole, with all names and parts, or not at all.
//   - What is exported can be imported, into this or another installation.
package bulk
