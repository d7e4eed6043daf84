// Package recovery gives players who forgot their password a new one: by a token
// that is mailed to the address of their account.
//
//   - service.go, routes.go: the calls and what they stand on
//   - send.go: asking for a mail; mails.go: what it says
//   - reset.go: setting the password; page.go: the page for players whose game
//     has none
//   - tokens.go: what is stored
//
// # Promises
//
//   - A token works once, for an hour, and only while its account has the address
//     that it was mailed to. Of any number of resets at the same time exactly one
//     succeeds, and with it all other tokens of the account are void. Only hashes
//     are stored.
//   - A reset takes back all tickets and tokens of the player.
//   - Who asks for a mail without being a server of the title learns nothing from
//     it: the answer and the work are the same whether the address has an account
//     or not, and whether that has had too many mails.
//   - An account gets no more mails in an hour than [MailsPerHour]; whoever causes
//     them to keep the owner out leaves the owner with as many tokens that work.
package recovery
