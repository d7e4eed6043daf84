// Package platform is a streaming platform to develop and test against: an HTTP
// server that says whom a token belongs to, as the real one does, and a call that
// makes tokens for any user, as the real one of course does not.
//
// Ludgate's development mode runs it and points its own validator at it, over
// HTTP like at any other. [Platform] is the http.Handler of GET
// /oauth2/validate; [Platform.Routes] has the call that makes tokens, POST
// /dev/streaming/token, which nothing but development mode may serve. A token
// holds all it says, signed with keys of the data directory, so tokens outlive a
// restart of the server and the platform keeps no list of them.
package platform
