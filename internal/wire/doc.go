// Package wire is the edge of Ludgate: everything between a byte on a connection
// and a service's operation that is the same for all services.
//
// A service describes its calls as [Route] values. [Edge] is the http.Handler
// that serves them, and every request goes the same way, one direction, no step
// twice:
//
//	limits, request id, recover -> route -> principal -> api-version and path
//	rules (management) -> body (gunzip, size, time) -> naming, inwards
//	-> Request.Decode in the handler -> Reply or *ludgate.Error
//	-> the surface's envelope -> naming, outwards
//
// A [Surface] is a family of calls with one dialect: how strict JSON is read,
// what an error looks like, which headers a reply carries. A [Naming] is a table
// of words: the contract's neutral words are the only ones inside, and the edge
// translates where a client speaks another set.
//
// The package knows no record of any service; it translates by the Go types it
// is handed.
package wire
