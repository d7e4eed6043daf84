// Package tour drives a running Ludgate over HTTP like a customer, prints every
// request and answer, and checks each against the contract. `ludgate tour` runs
// it; it knows no more of the server than a client does.
package tour
