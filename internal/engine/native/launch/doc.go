// Package launch is the outer half of the builtin launcher: it clones the
// process that becomes a container (package stage1 is its inside), from its first
// moment in its control group, and tells it what to become.
package launch
