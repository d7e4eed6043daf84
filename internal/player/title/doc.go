// Package title keeps what the titles of an installation are: their settings,
// keys and secrets.
//
// A [Registry] holds all titles in memory, as snapshots that never change, and
// follows the store, so that a change on any node shows on every node within a
// moment. Titles come from three places: the settings file declares some, which
// only the file changes; operators add others at run time ([Registry.Update]);
// and in development mode every well-formed id springs up on first use. Where
// things are:
//
//   - title.go: a title; its settings are config.TitleSettings
//   - fields.go: settings from texts, and shown
//   - secrets.go: secret keys of servers, shared secrets, the key pair
//   - policy.go: which calls clients may make, and how
//   - registry.go: the titles of an installation
//   - data.go: what a title tells its players
//
// All that the store keeps of a title but its data is one sealed document.
package title
