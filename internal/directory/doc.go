// Package directory is the directory's groups: contract 3 as HTTP calls, what a
// group may hold, and what is kept.
//
// Calls: POST /groups; PATCH, GET and DELETE of /groups/{id} and of
// /groups(uniqueName='x'), where PATCH with `Prefer: create-if-missing` makes the
// group it does not find. They answer under /v1.0 and /beta, and in the neutral
// naming also without a prefix.
//
// # Promises
//
//   - A uniqueName has at most one group, and keeps it: concurrent upserts of
//     one name make one group, and the others update that one. The name and the
//     group commit together. A unified group holds its mailNickname in the same
//     way, against other unified groups.
//   - A group's id, creation time and uniqueName never change.
//   - Delete hides a group from every call and remembers when; its uniqueName
//     and, for a unified group, its mailNickname stay taken.
//   - A request takes effect whole or not at all. A body that changes nothing
//     writes nothing.
//   - Nothing is accepted and forgotten. Dynamic membership, members and owners
//     are refused with NotSupported in the details; so is every query option but
//     $select of a single read. Properties that no group has are ignored, as
//     clients of every version send some, and so is null for a read-only one:
//     it says nothing.
//
// # How uniqueName compares
//
// Without regard to case and to Unicode's variants of one character (NFKC); the
// spelling of the creation is given back. In a path, a quote inside the key may
// be escaped (%27) or doubled; two quotes in a row always stand for one.
//
// # Two behaviours
//
// Where the contract and the public directory differ, the naming decides
// (wire.DirectoryNaming): neutral follows the contract, strict the public one.
// rules.go says so at each place, docs/divergences.md lists them.
//
// # The way of a write
//
//	routes.go      path, headers, query            -> operation
//	service.go     permission, body, one write     -> claims, row
//	rules*.go      Input on nothing, or on a group -> Group, or the first refusal
//	properties.go  Group                           -> reply
//
// Refusals come in this order: permission, syntax, read-only properties,
// required ones, rules of one property, rules between properties, uniqueness.
package directory
