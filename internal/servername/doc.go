// Package servername says whether a database server's name is free, and holds
// the names that are taken (contract 3, the name check).
//
// Ludgate runs no database servers. What it keeps is the register of their
// names: one register for the whole installation, because a server name becomes
// a DNS label, whoever asked for it. A servers resource takes a name with PUT and
// gives it back with DELETE; the check reads the same register.
//
// # Promises
//
//   - A check reserves nothing. It answers 200 whether the name is free, taken
//     or unacceptable; only a request that is no check at all is an error.
//   - A name has at most one holder. PUT claims it in the ledger of names in the
//     same write that keeps the server, so of two callers one gets it, on one
//     node or on several. DELETE frees it at once.
//   - Nothing is promised that nobody runs. A server carries a location and
//     tags; its only property is a state that says that it is a held name. Any
//     other member of properties (administratorLogin, its password, version, …)
//     is refused with FeatureNotSupported and its path, and is neither kept nor
//     logged. Members that a reply carries (id, name, type, properties.state)
//     may be sent back and change nothing.
//
// The caller's path says which provider namespace it speaks; id and type in a
// reply use that one, over one set of servers.
package servername
