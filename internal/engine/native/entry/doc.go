// Package entry lets the binary be the inner half of the builtin launcher.
//
// A container's first process is this same binary, started again under the name
// [stage1.Name] in fresh namespaces; it sets the container up from inside and
// then becomes the container's program (package stage1 does the work). That start
// pays for the initialisation of every package that comes before this one, so
// entry imports next to nothing: the Go linker orders packages by import path as
// soon as their own imports are done, and this one is done early.
//
// Import it for its effect in every binary that runs containers; package native
// does so already.
package entry
