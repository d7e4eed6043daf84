// Package password hashes and checks passwords with argon2id, without letting a
// storm of registrations slow anything else down.
//
// Make a [Hasher] with [New] and call [Hasher.Hash] and [Hasher.Verify]; the
// stored form is a PHC string ("$argon2id$v=19$m=19456,t=2,p=1$salt$key"), so a
// stronger setting can come later and [Hasher.NeedsRehash] finds who is behind.
//
// # Where the work is done
//
// One hash takes about 20 ms of a processor and 19 MiB. Done in the server's own
// threads, 64 of them at once would take the processors away from calls that
// need 50 µs. So the work goes to a helper: the same binary, started again under
// another name at the lowest priority, which the operating system preempts
// whenever the server has something to do.
//
//	Hash -> bounded queue -> two at once per processor -> pipe -> helper, one at once per processor
//
// The queue lives in the server: a caller that has gone, or that has waited too
// long, is dropped before its password is hashed, and a full queue says at once
// when to come back. As many again as are being hashed are under way to the helper,
// so that no worker of it ever waits for the server. The helper starts with the first password, gives its memory
// back when idle, ends when the server does, and is started again if it dies.
// Where it cannot be started at all, the workers hash by themselves.
//
// A binary offers the helper by importing password/entry for its effect.
package password
