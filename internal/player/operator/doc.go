// Package operator is what the people who run an installation do with titles and
// players: the calls behind `ludgate title` and `ludgate player`.
//
// They are served on the control socket of a data directory, which only its
// owner can open, or inside the command itself while no server runs; so none of
// them asks who calls. All are POST with a JSON object under /control/, and
// answer in the shape of Ludgate's own calls. Where things are:
//
//   - records.go: what the calls say and hear
//   - titles.go: titles and their settings
//   - keys.go: secret keys, shared secrets, key pairs
//   - players.go: export, import, deletion
package operator
