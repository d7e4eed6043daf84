package containergroup

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// Kinds of operations.
const (
	kindPut    = "put"
	kindDelete = "delete"
)

// operation is one long-running operation as the store has it.
type operation struct {
	id, group string
	resource  ID
	kind      string
	status    OperationStatus
	started   time.Time
	ended     time.Time
	err       *wire.CloudErrorBody
}

// begin writes a new operation of g, which takes the place of the one before: a
// poller of that one learns that its wish is no longer the group's.
func begin(tx store.Tx, g *row, kind, id, before string, now time.Time) error {
	if before != "" {
		if err := end(tx, before, Canceled, &wire.CloudErrorBody{
			Code:    "OperationPreempted",
			Message: "The operation was preempted by a more recent request for container group '" + g.ID.Name + "'.",
		}, now); err != nil {
			return err
		}
	}
	_, err := tx.Exec(operationInsert, id, g.ID.fold().Subscription, g.key, text(g.ID), kind, now.UnixNano())
	return err
}

// end finishes an operation; one that has ended stays as it is.
func end(tx store.Tx, id string, status OperationStatus, why *wire.CloudErrorBody, now time.Time) error {
	reason := ""
	if why != nil {
		reason = text(why)
	}
	_, err := tx.Exec(operationEnd, id, string(status), now.UnixNano(), reason)
	return err
}

// findOperation reads an operation of a subscription, nil when there is none.
func findOperation(tx store.Tx, subscription, id string) (*operation, error) {
	var o *operation
	_, err := store.QueryOne(tx, operationGet, func(r store.Row) error {
		o = &operation{
			id: r.Text(0), group: r.Text(1), kind: r.Text(3), status: OperationStatus(r.Text(4)),
			started: time.Unix(0, r.Int(5)), ended: time.Unix(0, r.Int(6)),
		}
		if err := json.Unmarshal([]byte(r.Text(2)), &o.resource); err != nil {
			return err
		}
		if why := r.Text(7); why != "" {
			o.err = &wire.CloudErrorBody{}
			return json.Unmarshal([]byte(why), o.err)
		}
		return nil
	}, id, ID{Subscription: subscription}.fold().Subscription)
	return o, err
}

// Operation gives the state of an operation, with the events of the group's
// containers. It is kept for a day after its end at least (Options.KeepOperations).
func (s *Service) Operation(ctx context.Context, subscription, namespace, id string) (*Operation, error) {
	scope := ID{Subscription: subscription}.scope()
	if err := access.Management(ctx, namespace+"/locations/operations/read", scope); err != nil {
		return nil, err
	}
	if !ludgate.IsGUID(id) {
		return nil, noOperation(id)
	}
	var o *operation
	var g *row
	err := s.read(ctx, func(tx store.Tx) (err error) {
		if o, err = findOperation(tx, subscription, id); err != nil || o == nil {
			return err
		}
		g, err = one(tx, groupByID, o.group)
		return err
	})
	if err != nil {
		return nil, err
	}
	if o == nil {
		return nil, noOperation(id)
	}
	out := &Operation{
		ID: o.resource.path(namespace), Name: o.id, Status: o.status, StartTime: o.started.UTC().Format(time.RFC3339Nano),
		Error: o.err, Properties: OperationProperties{Events: []Event{}},
	}
	if o.status != InProgress {
		out.EndTime = o.ended.UTC().Format(time.RFC3339Nano)
	}
	if g != nil && g.operation == o.id {
		st, _ := s.observe(ctx, g)
		out.Properties.Events = containerEvents(st)
	}
	return out, nil
}

func noOperation(id string) error {
	return ludgate.Errorf(ludgate.NotFound, "ResourceNotFound", "The operation '%s' was not found. Operations are kept for a day after their end.", clip(id))
}

// purge removes operations that ended long ago, some at a time so that callers
// need not wait for it.
func (s *Service) purge(ctx context.Context) error {
	const some = 500
	before := s.opt.Clock().Add(-s.opt.KeepOperations).UnixNano()
	for {
		n := int64(0)
		err := s.opt.Store.Write(ctx, func(tx store.Tx) (err error) {
			n, err = tx.Exec(operationPurge, before, int64(some))
			return err
		})
		if err != nil || n < some {
			return err
		}
	}
}
