// Package throttle limits what callers may do in a time, with bounded memory.
//
//   - [Limiter]: token buckets, for requests of an address, a player, a title
//   - [Counters]: sliding windows, for promises like "10 updates in 15 seconds,
//     150 in 5 minutes"
//   - [Guesses]: growing delays against guessing passwords, which cannot be
//     turned against the owner of an account
//
// Every method takes the present time, so tests set it. All types are safe for
// concurrent use; a check takes a few hundred nanoseconds at most and allocates
// nothing for a key that is known.
//
// Keys are not kept, only a hash of them with a secret seed, so the tables hold
// no names and no addresses, and nobody can make two keys meet. A table has a
// capacity; entries that mean nothing any more make room first, then those that
// were not used for the longest time. Whoever has more keys than a table has
// room (an IPv6 network, for example, see [Network]) can be forgotten by it.
//
// Limits are those of one node, in its memory: with N nodes behind a balancer a
// caller has up to N times as much, and a restart forgets everything.
package throttle
