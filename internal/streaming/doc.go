// Package streaming finds out whom a streaming platform's access token belongs
// to, by asking the platform (P-4.R4).
//
// Make one [Validator] per platform with [New] and call [Validator.Validate]. It
// is written for a platform that misbehaves: an answer has five seconds, a
// bounded body and no redirects; only answers that cannot be misread count as
// valid; a platform that keeps failing is left alone for a moment, so that calls
// do not pile up behind it; and of many callers with one token, one asks.
//
// A valid answer is remembered for as long as the options say, some tens of
// seconds, under a hash of the token, and never longer than the token lives. Nothing else is remembered, and the
// token itself is never kept or logged.
//
// The package streaming/platform is a platform to test against, the one that
// development mode offers.
package streaming
