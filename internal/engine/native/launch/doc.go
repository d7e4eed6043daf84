// Package launch is the outer half of the builtin launcher: it clones the
// process that becomes a container (package stage1 is its inside) and holds it at
// a gate until it is in its control group.
package launch
