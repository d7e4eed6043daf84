// Package revocation knows the proofs of players that are signed, not expired,
// and yet no longer good: all that were made before some moment, because the
// password was changed then, or the account was banned, disabled or deleted.
//
// What changes an account so calls [Set.Revoke] in the same transaction. Every node
// keeps all revocations in memory in a [Set] and asks that for every proof,
// without a lock and without a read; nearly always there is nothing in it. A
// revocation can be forgotten when the last proof that it stops has expired, a
// day later.
//
// A set hears of a revocation through store.Watch, usually within milliseconds,
// and looks every second besides, so every node knows within two seconds though
// a signal be lost. [Set.Refresh] is for the caller that wants its own node to
// know before it answers.
//
// A proof counts by the moment at which its bearer signed in, to the millisecond,
// by the clock of the node that was asked. A token that is made of a ticket keeps
// that moment, so what is renewed on a node that does not know yet is stopped as
// well. A sign-in takes the moment before it reads the account (see
// ticket.Bearer): then one that still saw the old password, and comes to its end
// after the change, is stopped too. One in the very millisecond of a revocation is
// stopped; who signed in again in that same millisecond has to do it twice. Nodes
// need clocks that agree to a few seconds, as under any time service they do.
//
// It is made for single accounts. What ends very many at once, such as deleting
// a title, refuses their proofs by itself.
package revocation
