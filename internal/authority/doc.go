// Package authority issues and checks the access tokens of management and
// directory calls (contract 2, section 5; contract 3, section 5).
//
// Tokens are JWTs signed with RS256. The signing keys and the tenant's id live
// in the data directory, made at first start; whoever may read that directory may
// issue tokens (`ludgate token`), nobody else. [Authority.Authenticate] turns a
// request's Authorization header into an access.Principal.
//
// Players are another world: their session tickets (package ticket) never open
// a management call.
package authority
