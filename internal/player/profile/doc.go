// Package profile keeps what a player's profile shows beside the account: tags,
// contact e-mail addresses, locations, memberships with their subscriptions, ad
// campaign attributions, push registrations and values to date. It also keeps the
// bans of players and addresses, and builds PlayerProfileModel (contract 1,
// section 2).
//
// Make a [Service] with [Open] on a store that has the schema of [Area], and serve
// its [Service.Routes]. Where things are:
//
//   - records.go: the records of the wire that a profile consists of
//   - profile.go: from an account and its rows to a profile, and who may see what
//   - tags.go, avatar.go, contacts.go, locations.go, memberships.go, campaigns.go,
//     push.go, values.go: one part each, with its calls
//   - ban.go, bans.go: a ban and whom it keeps out; the calls about bans
//   - addressbans.go: the banned addresses, which every node has in memory
//   - rules.go, codes.go: what requests may say
//   - dump.go, dump_check.go: deletion, export and import of a player's rows
//   - service.go, routes.go: what the parts share, and the paths
//
// # Promises
//
//   - A part of a profile is read with one statement, and not at all when it is
//     not shown.
//   - What ends by time (bans, memberships, subscriptions, mailed tokens) is
//     compared with the clock when it is asked for; nothing runs in the background.
//   - A ban, the end of the player's running sessions and the mark in the account
//     are one transaction.
//   - A purchase counts once, however often and at what places it is reported.
//   - A mailed token is stored as a hash, ends after a day and works once.
package profile
