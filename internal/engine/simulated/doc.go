// Package simulated is a container runtime that runs nothing. It is for trying
// out Ludgate, for tests of what sits above an engine, and for load figures of
// everything but containers. It is chosen by name only, and every Status it
// stands behind says Simulated.
//
// # What it pretends
//
// Pulling and starting take about a millisecond each and succeed, except that an
// image of a registry below ".invalid" (RFC 2606: such a name never exists) does
// not exist: `registry.invalid/app:1` is a permanent pull failure.
//
// A container's command is read for a few words; what it prints goes into its
// log, and it ends as the words say. Words are separated by blanks, and quotes
// work as in a shell.
//
//	exit N            ends with exit code N (0-255)
//	sleep N           lasts N seconds (a fraction, or a Go duration like 200ms)
//	burn N            the same
//	print TEXT…       prints the text (echo TEXT… is the same word)
//	alloc MB          is killed for want of memory when MB is above the limit,
//	                  else runs until it is ended
//	write, cat, fetch end with 0; nothing is written, read or fetched
//	serve             runs until it is ended, with exit code 0
//	true, false       end with 0 and 1
//	run 'A && B'      does A, and B if A ended with 0; `;` goes on in any case
//	/bin/sh -c 'A'    the same (also sh, bash, /bin/bash)
//	missing-program   cannot be started
//
// Words may be preceded by the built-in image's program, `/hello exit 3`. Any
// other command, and none, runs until it is ended; it then exits with 143 as
// after SIGTERM.
//
// # What it does not
//
// No process, no network, no address: published ports do not answer and
// environment variables have no effect. Runs end with the server: after a restart
// what was running is started again (see pod.Traits.Volatile), while containers
// that had ended for good stay ended if a state directory is used.
//
// Equal input gives equal output: nothing is random and only the clock moves.
// A container that sleeps costs a timer, one that runs on costs nothing but its
// record, so thousands of groups fit into one small process.
package simulated
