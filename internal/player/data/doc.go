// Package data keeps what a game stores about its players besides their
// accounts, profiles and possessions: user data, statistics with leaderboards,
// entity objects, events, and what their devices said of themselves.
//
// Make a [Service] with [New] on a store that has the schema of [Area], and
// serve its [Service.Routes]. Where things are:
//
//   - records.go: the records of the wire
//   - rules.go: what a request may say
//   - service.go: the service, its statements, and the heads that count
//   - userdata.go: client, read-only and internal data
//   - statistics.go: values of players; definitions.go: the statistics of a
//     title; versions.go: which version of one is current at a time
//   - leaderboard.go, marks.go: ranks
//   - objects.go, events.go: objects, events
//   - devices.go: what devices said of themselves
//   - load.go, dump.go: for combined info; for deletion, export and import
//   - routes*.go: HTTP in and out
//
// docs/design/players-data.md tells how it works, which bounds hold and what it
// costs.
//
// # Promises
//
//   - Calls that change one player's data at the same time take effect one after
//     the other: a data version counts the calls, a sum loses no addend.
//   - A statistic's version follows from the time; nothing runs in the background.
//   - The first 1,000 places of a leaderboard are exact at every moment. Further
//     down, positions are counted from marks that are some ten seconds old, so
//     that a place among a million costs as little as one at the top.
//   - What a player keeps private, no other player reads, and nothing of one
//     title shows in another.
package data
