// Package docs holds the papers of Ludgate: the register of contract rules
// (contract.md), where Ludgate differs from what it stands in for
// (divergences.md), how the house is built (design/), and what it depends on
// (dependencies.md).
//
// The Go files beside them are the tests that keep the papers true: every rule
// of the register has a place and a test or is openly open, imports go down
// only, every direct dependency is accounted for, and no link leads nowhere.
package docs
