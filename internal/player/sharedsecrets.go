package player

import (
	"context"
	"fmt"
	"slices"

	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/wire"
)

// Limits of shared secrets.
const (
	maxSharedSecrets = 20
	maxFriendlyName  = 100 // bytes
)

// SharedSecret lets clients ask for the title's public key. It is no secret from
// the title's own tools, which see it whole.
type SharedSecret struct {
	SecretKey    string `json:"SecretKey"`
	FriendlyName string `json:"FriendlyName,omitzero"`
	Disabled     bool   `json:"Disabled"`
}

// CreatePlayerSharedSecretRequest makes a shared secret.
type CreatePlayerSharedSecretRequest struct {
	FriendlyName string `json:"FriendlyName"`
}

// CreatePlayerSharedSecretResult is the answer to it.
type CreatePlayerSharedSecretResult struct {
	SecretKey string `json:"SecretKey"`
}

// GetPlayerSharedSecretsResult lists a title's shared secrets.
type GetPlayerSharedSecretsResult struct {
	SharedSecrets []SharedSecret `json:"SharedSecrets"`
}

// UpdatePlayerSharedSecretRequest names a shared secret anew and switches it on
// or off.
type UpdatePlayerSharedSecretRequest struct {
	SecretKey    string  `json:"SecretKey" required:"true"`
	FriendlyName *string `json:"FriendlyName"`
	Disabled     bool    `json:"Disabled"`
}

// DeletePlayerSharedSecretRequest removes one.
type DeletePlayerSharedSecretRequest struct {
	SecretKey string `json:"SecretKey" required:"true"`
}

// sharedSecretRoutes are the calls about a title's shared secrets.
func (s *Service) sharedSecretRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Secret, "/Admin/CreatePlayerSharedSecret", s.createSharedSecret),
		call.Post(s.gate, call.Secret, "/Admin/GetPlayerSharedSecrets", s.getSharedSecrets),
		call.Post(s.gate, call.Secret, "/Admin/UpdatePlayerSharedSecret", s.updateSharedSecret),
		call.Post(s.gate, call.Secret, "/Admin/DeletePlayerSharedSecret", s.deleteSharedSecret),
	}
}

func checkFriendlyName(name string) error {
	f := call.Faults{}
	if len(name) > maxFriendlyName {
		f.Add("FriendlyName", fmt.Sprintf("A name has at most %d bytes.", maxFriendlyName))
	}
	return f.Err()
}

func (s *Service) createSharedSecret(ctx context.Context, c *call.Call, r *CreatePlayerSharedSecretRequest) (any, error) {
	if err := checkFriendlyName(r.FriendlyName); err != nil {
		return nil, err
	}
	out := &CreatePlayerSharedSecretResult{}
	err := s.gate.Titles().UpdateKeys(ctx, c.Title.ID, func(k *title.Keys) error {
		if len(k.Shared) >= maxSharedSecrets {
			return call.Refuse("OverLimit", "A title has at most %d shared secrets", maxSharedSecrets)
		}
		out.SecretKey = k.AddShared(r.FriendlyName)
		return nil
	})
	return out, err
}

func (s *Service) getSharedSecrets(_ context.Context, c *call.Call, _ *struct{}) (any, error) {
	out := &GetPlayerSharedSecretsResult{SharedSecrets: []SharedSecret{}}
	for _, k := range c.Title.SharedSecrets() {
		out.SharedSecrets = append(out.SharedSecrets, SharedSecret{SecretKey: k.Value, FriendlyName: k.Name, Disabled: k.Disabled})
	}
	return out, nil
}

func (s *Service) updateSharedSecret(ctx context.Context, c *call.Call, r *UpdatePlayerSharedSecretRequest) (any, error) {
	if r.FriendlyName != nil {
		if err := checkFriendlyName(*r.FriendlyName); err != nil {
			return nil, err
		}
	}
	return nil, s.changeShared(ctx, c, r.SecretKey, func(k *title.Keys, i int) {
		k.Shared[i].Disabled = r.Disabled
		if r.FriendlyName != nil {
			k.Shared[i].Name = *r.FriendlyName
		}
	})
}

func (s *Service) deleteSharedSecret(ctx context.Context, c *call.Call, r *DeletePlayerSharedSecretRequest) (any, error) {
	return nil, s.changeShared(ctx, c, r.SecretKey, func(k *title.Keys, i int) { k.Shared = slices.Delete(k.Shared, i, i+1) })
}

// changeShared lets fn change the shared secret of a value.
func (s *Service) changeShared(ctx context.Context, c *call.Call, value string, fn func(k *title.Keys, i int)) error {
	return s.gate.Titles().UpdateKeys(ctx, c.Title.ID, func(k *title.Keys) error {
		i := slices.IndexFunc(k.Shared, func(s title.SharedSecret) bool { return s.Value == value })
		if i < 0 {
			return call.Refuse("InvalidSharedSecretKey", "There is no such shared secret")
		}
		fn(k, i)
		return nil
	})
}
