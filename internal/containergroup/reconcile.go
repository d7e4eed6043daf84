package containergroup

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// told is which generation of each group this process has handed to its engine.
// It is the only thing a process knows by itself: another one begins by telling
// its engine everything.
type told struct {
	mu   sync.Mutex
	keys map[string]int64
}

func (t *told) set(key string, generation int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[string]int64{}
	}
	t.keys[key] = generation
}

func (t *told) is(key string, generation int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	have, ok := t.keys[key]
	return ok && have == generation
}

func (t *told) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.keys, key)
}

// step compares one group of the store with the engine and does what is missing.
// The queue never runs two steps of one group at a time.
func (s *Service) step(ctx context.Context, key string) error {
	var g *row
	if err := s.opt.Store.Read(ctx, func(tx store.Tx) (err error) {
		g, err = one(tx, groupByID, key)
		return err
	}); err != nil {
		return err
	}
	switch {
	case g == nil:
		if _, err := s.opt.Engine.Observe(ctx, key); errors.Is(err, engine.ErrUnknownGroup) {
			return nil // neither wished nor there
		}
		return s.discard(ctx, key)
	case g.state == ludgate.ProvisioningDeleting:
		if err := s.discard(ctx, key); err != nil {
			return err
		}
		return s.removed(ctx, key, s.opt.Clock())
	case g.Group.Properties.OSType == Windows:
		return s.refuseWindows(ctx, g)
	}
	if !s.told.is(key, g.generation) {
		if err := s.tell(ctx, g); err != nil {
			return err
		}
	}
	st, err := s.opt.Engine.Observe(ctx, key)
	if err != nil {
		s.told.forget(key) // it may have lost the group
		return fmt.Errorf("observe: %w", err)
	}
	return s.record(ctx, g, st)
}

// discard makes sure that the engine has nothing of the group.
func (s *Service) discard(ctx context.Context, key string) error {
	s.told.forget(key)
	if err := s.opt.Engine.Remove(ctx, key); err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return nil
}

// tell hands the wish to the engine. What stands in the way for good, or for as
// long as a start may take, ends the operation.
func (s *Service) tell(ctx context.Context, g *row) error {
	w, err := s.wish(g)
	if err != nil {
		if errors.Is(err, secret.ErrSealed) {
			s.opt.Log.Error("a stored registry password cannot be used", "group", g.key, "error", err)
			return s.fail(ctx, g, "ImageRegistryCredentialUnreadable",
				"A stored password of the 'imageRegistryCredentials' of container group '"+g.ID.Name+"' cannot be decrypted with this server's key. Send the credentials again.")
		}
		return err
	}
	if err := s.opt.Engine.Ensure(ctx, w); err != nil {
		if s.opt.Clock().Sub(g.Since) > s.opt.StartTimeout {
			if err := s.fail(ctx, g, "ContainerEngineError",
				"The container engine did not take up container group '"+g.ID.Name+"' within "+s.opt.StartTimeout.String()+"."); err != nil {
				return err
			}
		}
		return fmt.Errorf("ensure: %w", err)
	}
	s.told.set(g.key, g.generation)
	return nil
}

// record writes what became of the wish. Succeeded needs every container to have
// started or finished once; a group that failed and comes up after all has
// succeeded, though its operation has not.
func (s *Service) record(ctx context.Context, g *row, st *engine.Status) error {
	if st.Generation != g.generation {
		return nil // the engine says when it has taken the wish up
	}
	view := text(st)
	switch {
	case st.Started && g.state != ludgate.ProvisioningSucceeded:
		return s.settle(ctx, g, ludgate.ProvisioningSucceeded, nil, view)
	case st.Fault != nil && g.state == ludgate.ProvisioningPending:
		return s.settle(ctx, g, ludgate.ProvisioningFailed, &fault{st.Fault.Code, st.Fault.Message, s.opt.Clock().UTC()}, view)
	case g.state.Terminal() && view != g.view:
		return s.opt.Store.Write(ctx, func(tx store.Tx) error {
			_, err := tx.Exec(groupObserved, g.key, g.generation, view, s.opt.Clock().UnixNano())
			return err
		})
	}
	return nil
}

// settle ends the operation of g's generation, unless a newer request has taken
// its place meanwhile.
func (s *Service) settle(ctx context.Context, g *row, state ludgate.ProvisioningState, f *fault, view string) error {
	now := s.opt.Clock()
	after := *g
	after.fault = f
	status, why := Succeeded, (*wire.CloudErrorBody)(nil)
	if f != nil {
		status, why = Failed, &wire.CloudErrorBody{Code: f.Code, Message: f.Message}
	}
	return s.opt.Store.Write(ctx, func(tx store.Tx) error {
		n, err := tx.Exec(groupSettle, g.key, g.generation, string(state), after.faultText(), view, now.UnixNano())
		if err != nil || n == 0 {
			return err
		}
		tx.Notify(groupTopic(g.key))
		return end(tx, g.operation, status, why, now)
	})
}

// fail ends the operation for a reason that is not the engine's.
func (s *Service) fail(ctx context.Context, g *row, code, message string) error {
	if g.state != ludgate.ProvisioningPending {
		return nil
	}
	return s.settle(ctx, g, ludgate.ProvisioningFailed, &fault{code, message, s.opt.Clock().UTC()}, g.view)
}

// refuseWindows ends the operation of a group that no engine here can run.
func (s *Service) refuseWindows(ctx context.Context, g *row) error {
	return s.fail(ctx, g, "OsVersionNotSupported",
		"The OS version of image '"+g.Group.Properties.Containers[0].Properties.Image+"' is not supported.")
}
