// Package displayname decides whether a title accepts a display name.
//
// Make one [Filter] and ask [Filter.Check] with the title's [Settings]. A name
// passes up to three filters, and the first that refuses it ends the matter: a
// list of profanities that comes with Ludgate, the title's own words, and a
// filter of the title's own, asked over HTTP. [ErrProfane] says that the name is
// refused, [ErrFilter] that the title's filter gave no usable answer; the name is
// then not accepted either.
//
// # How words are found
//
// People who want a word in their name write it so that a list misses it. A name
// is therefore read in several ways (fold.go), all without case, accents,
// invisible characters and what stands between letters: as it is, with letters of
// other scripts taken for the Latin ones they look like, with digits and signs
// taken for letters, and with letters repeated three times or more taken for one
// or two. A word found in any reading counts, unless it lies inside a word that
// the title allows.
//
// Letters of another script are taken for Latin ones only in a word that mixes
// scripts, or whose letters all have a Latin double: a word that is plainly
// Russian or Greek is read as that.
package displayname
