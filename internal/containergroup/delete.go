package containergroup

import (
	"context"
	"time"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/store"
)

// DeleteResult is the answer to a DELETE. The zero value says that there was no
// group: 204.
type DeleteResult struct {
	// Last is the group as it was, when it is gone for good: 200.
	Last *ContainerGroupReply
	// Operation and Location are set when the containers have not ended yet:
	// 202.
	Operation string
	Location  string
}

// Delete ends the group's containers and removes it. It waits for that as long
// as Options.DeleteWait; the removal goes on whether anyone waits or not. The
// group's public name is free at once, its address once nothing listens there.
func (s *Service) Delete(ctx context.Context, id ID, namespace string) (*DeleteResult, error) {
	if err := access.Management(ctx, namespace+"/containerGroups/delete", id.path(namespace)); err != nil {
		return nil, err
	}
	g, err := s.find(ctx, id, namespace)
	if ludgate.IsCode(err, "ResourceNotFound") {
		return &DeleteResult{}, nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.needEngine(); err != nil {
		return nil, err
	}
	last := s.reply(ctx, g, namespace)
	last.Properties.ProvisioningState = ludgate.ProvisioningSucceeded

	waiting, stop := context.WithTimeout(ctx, s.opt.DeleteWait)
	defer stop()
	changed := s.opt.Store.Watch(waiting, groupTopic(g.key))
	gone, operation, err := s.markDeleting(ctx, id, g.key)
	if err != nil {
		return nil, err
	}
	if gone {
		return &DeleteResult{}, nil
	}
	s.queue.add(g.key)
	for {
		done, err := s.ended(ctx, id, operation)
		if err != nil {
			return nil, err
		}
		if done {
			return &DeleteResult{Last: last}, nil
		}
		if _, open := <-changed; !open {
			if err := ctx.Err(); err != nil {
				return nil, storeError(err)
			}
			return &DeleteResult{Operation: operation, Location: g.Group.Location}, nil
		}
	}
}

// markDeleting stores that the group shall go and gives the operation that does
// it, which may be an earlier caller's.
func (s *Service) markDeleting(ctx context.Context, id ID, key string) (gone bool, operation string, err error) {
	now := s.opt.Clock()
	fresh := ludgate.NewGUID()
	err = s.write(ctx, func(tx store.Tx) error {
		gone, operation = false, ""
		g, err := one(tx, groupByID, key)
		if err != nil {
			return err
		}
		if g == nil {
			gone = true
			return nil
		}
		if g.state == ludgate.ProvisioningDeleting {
			operation = g.operation
			return nil
		}
		if err := g.releaseName(tx); err != nil {
			return err
		}
		before := ""
		if g.state == ludgate.ProvisioningPending {
			before = g.operation
		}
		if err := begin(tx, g, kindDelete, fresh, before, now); err != nil {
			return err
		}
		g.DNS, g.Since = dnsName{}, now.UTC()
		operation = fresh
		tx.Notify(topic)
		_, err = tx.Exec(groupDeleting, key, fresh, text(g.document))
		return err
	})
	return gone, operation, err
}

// ended reports whether an operation has ended.
func (s *Service) ended(ctx context.Context, id ID, operation string) (bool, error) {
	done := false
	err := s.read(ctx, func(tx store.Tx) error {
		o, err := findOperation(tx, id.Subscription, operation)
		done = o == nil || o.status != InProgress
		return err
	})
	return done, err
}

// removed writes that nothing is left of a group: its row goes, its address is
// free, its operation has succeeded.
func (s *Service) removed(ctx context.Context, key string, now time.Time) error {
	return s.opt.Store.Write(ctx, func(tx store.Tx) error {
		g, err := one(tx, groupByID, key)
		if err != nil || g == nil || g.state != ludgate.ProvisioningDeleting {
			return err
		}
		if _, err := tx.Exec(groupRemove, key); err != nil {
			return err
		}
		if err := g.releaseAddress(tx); err != nil {
			return err
		}
		tx.Notify(groupTopic(key))
		return end(tx, g.operation, Succeeded, nil, now)
	})
}
