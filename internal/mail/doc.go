// Package mail sends e-mails: recovery of an account, verification of an
// address, notices.
//
// A [Message] goes to a [Sender]. There are two that deliver, [SMTP] to a mail
// server and [Mailbox] to a directory of .eml files for development, and a
// [Queue] in front of either. A service hands its message to the queue after its
// transaction has committed and goes on at once: no request waits for a mail
// server, and whether a message was due at all cannot be told from how long the
// answer took. [Open] makes the queue that the settings ask for.
//
// The queue lives in memory. It tries again what failed for a passing reason and
// is drained when the server stops; what waits when the process is killed is
// lost, and whoever asked asks again.
//
// Messages cannot be made to say more than their fields do: line breaks and
// other control characters in an address, a subject or a header are refused, and
// so are addresses with quoted local parts, in which they could hide. Text of
// any script and length is encoded so that every server takes it. Domains of
// other scripts are sent in their ASCII form; a local part of another script
// needs a server with SMTPUTF8 and is refused by others.
//
// Errors are [ludgate.Error]: kind Unavailable for what may work later, Invalid
// for what never will. They hold neither credentials nor recipients.
package mail
