// Package server is the hall: it turns settings into a running Ludgate and takes
// it down again. It knows which parts exist and in which order they start and
// stop; it knows no field of any record.
//
//	settings -> data directory and store -> keys -> services -> edge -> listeners
//
// [New] does the first part and fails with one sentence when something is
// missing; [Server.Serve] answers until its context ends, then drains: requests
// under way finish, new ones get 503 with Retry-After, containers keep running.
package server
