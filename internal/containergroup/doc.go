// Package containergroup is the container group service: contract 2 as HTTP
// calls, what it accepts, what it keeps, and the reconciler that moves an engine
// toward it.
//
// # Promises
//
//   - What was answered with 201 or 200 is on disk: the group, the names and the
//     address it holds, and the operation that brings it up, in one write.
//   - Nothing is told that no engine saw. Instance views are what
//     [engine.Engine.Observe] said, provisioningState is Succeeded only after
//     every container has started or finished once.
//   - The newest wish wins. A PUT while another is under way supersedes it; a
//     DELETE is never refused because of one.
//   - Every truth is in the store. This process remembers only which wish its
//     engine was told; after a crash all wishes are told again, and groups of the
//     engine without a wish are removed.
//   - No member of a request is accepted and ignored: what is not carried out yet
//     is refused with FeatureNotSupported and the member's path.
//
// # The way of a PUT
//
//	routes.go   decode                      -> ContainerGroup (records*.go)
//	rules*.go   check and put into one form -> canonical ContainerGroup
//	put.go      one store.Write             -> row (rows.go), claims, operation
//	queue.go    wake the group's reconciler
//	reconcile.go  engine.Ensure(wish.go) … Observe … write the outcome
//	view.go     row + observed status       -> reply
//
// A group's row has a key of its own, made at creation: the group that a PUT
// makes while its namesake is still being removed is another group. Until then a
// row is Deleting and, once a namesake exists, superseded, which hides it from
// every call.
//
// An operation belongs to one generation of one group. It ends Succeeded or
// Failed with the reconciler's verdict, or Canceled (OperationPreempted) when a
// newer request took its place.
package containergroup
