package operator

import (
	"context"
	"regexp"
	"slices"

	"ludgate"
	"ludgate/internal/clientcrypto"
	"ludgate/internal/player/title"
)

// maxKeys bounds the secret keys, and the shared secrets, of one title.
const maxKeys = 20

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// cleanName checks the name of a new key.
func cleanName(name string) error {
	if !namePattern.MatchString(name) {
		return ludgate.Errorf(ludgate.Invalid, "InvalidName", "%q is no name for a key; it has 1 to 64 letters, digits, dots, dashes and underscores", name)
	}
	return nil
}

func nameExists(name string) error {
	return ludgate.Errorf(ludgate.Conflict, "NameExists", "there is a key named %q already", name)
}

func noName(name string) error {
	return ludgate.Errorf(ludgate.NotFound, "KeyNotFound", "there is no key named %q", name)
}

func tooMany() error {
	return ludgate.Errorf(ludgate.Conflict, "TooManyKeys", "a title has at most %d of these keys; delete one", maxKeys)
}

func (s *Service) keys(_ context.Context, r *TitleRequest) (any, error) {
	t, err := s.known(r.ID)
	if err != nil {
		return nil, err
	}
	out := Keys{Secrets: []SecretKey{}, Shared: []SharedSecret{}}
	for _, k := range t.SecretKeys() {
		out.Secrets = append(out.Secrets, SecretKey{k.Name, k.Created, k.Disabled})
	}
	for _, k := range t.SharedSecrets() {
		out.Shared = append(out.Shared, SharedSecret(k))
	}
	if der := t.KeyPair(); der != nil {
		pair, err := clientcrypto.ParseKeyPair(der)
		if err != nil {
			return nil, err
		}
		out.PublicKey = pair.PublicKeyBlob()
	}
	return out, nil
}

// update changes the keys of a title and logs it.
func (s *Service) update(ctx context.Context, r *KeyRequest, what string, fn func(k *title.Keys) error) error {
	id, err := cleanID(r.ID)
	if err != nil {
		return err
	}
	if err := s.titles.UpdateKeys(ctx, id, fn); err != nil {
		return err
	}
	s.gate.Log().InfoContext(ctx, what, "title", id, "name", r.Name)
	return nil
}

func (s *Service) createKey(ctx context.Context, r *KeyRequest) (any, error) {
	if err := cleanName(r.Name); err != nil {
		return nil, err
	}
	out := NewKey{Name: r.Name}
	err := s.update(ctx, r, "secret key created", func(k *title.Keys) error {
		switch {
		case findKey(k, r.Name) >= 0:
			return nameExists(r.Name)
		case len(k.Secrets) >= maxKeys:
			return tooMany()
		}
		out.Key = k.AddSecret(r.Name, s.gate.Clock()())
		return nil
	})
	return out, err
}

func findKey(k *title.Keys, name string) int {
	return slices.IndexFunc(k.Secrets, func(s title.SecretKey) bool { return s.Name == name })
}

// switchKey makes the call that disables or enables a secret key.
func (s *Service) switchKey(disabled bool) func(context.Context, *KeyRequest) (any, error) {
	return func(ctx context.Context, r *KeyRequest) (any, error) {
		return nil, s.update(ctx, r, "secret key switched", func(k *title.Keys) error {
			i := findKey(k, r.Name)
			if i < 0 {
				return noName(r.Name)
			}
			k.Secrets[i].Disabled = disabled
			return nil
		})
	}
}

func (s *Service) deleteKey(ctx context.Context, r *KeyRequest) (any, error) {
	return nil, s.update(ctx, r, "secret key deleted", func(k *title.Keys) error {
		i := findKey(k, r.Name)
		if i < 0 {
			return noName(r.Name)
		}
		k.Secrets = slices.Delete(k.Secrets, i, i+1)
		return nil
	})
}

// createPair makes the key pair of encrypted requests and gives its public half.
func (s *Service) createPair(ctx context.Context, r *KeyRequest) (any, error) {
	if _, err := s.known(r.ID); err != nil {
		return nil, err
	}
	pair, err := clientcrypto.NewKeyPair()
	if err != nil {
		return nil, err
	}
	der, err := pair.Marshal()
	if err != nil {
		return nil, err
	}
	err = s.update(ctx, r, "key pair created", func(k *title.Keys) error {
		if k.Pair != nil {
			return ludgate.Errorf(ludgate.Conflict, "KeyPairExists", "the title has a key pair already; clients that have its public key need it, so delete it first if you are sure")
		}
		k.Pair = der
		return nil
	})
	return NewKey{Name: "pair", Key: pair.PublicKeyBlob()}, err
}

func (s *Service) deletePair(ctx context.Context, r *KeyRequest) (any, error) {
	return nil, s.update(ctx, r, "key pair deleted", func(k *title.Keys) error {
		if k.Pair == nil {
			return ludgate.Errorf(ludgate.NotFound, "KeyPairNotFound", "the title has no key pair")
		}
		k.Pair = nil
		return nil
	})
}

func (s *Service) createShared(ctx context.Context, r *KeyRequest) (any, error) {
	if err := cleanName(r.Name); err != nil {
		return nil, err
	}
	out := NewKey{Name: r.Name}
	err := s.update(ctx, r, "shared secret created", func(k *title.Keys) error {
		switch {
		case findShared(k, r.Name) >= 0:
			return nameExists(r.Name)
		case len(k.Shared) >= maxKeys:
			return tooMany()
		}
		out.Key = k.AddShared(r.Name)
		return nil
	})
	return out, err
}

// findShared finds a shared secret by its name, or by its value: those that a
// game's tools made may have no name.
func findShared(k *title.Keys, name string) int {
	if i := slices.IndexFunc(k.Shared, func(s title.SharedSecret) bool { return s.Name == name && name != "" }); i >= 0 {
		return i
	}
	return slices.IndexFunc(k.Shared, func(s title.SharedSecret) bool { return s.Value == name })
}

// unnamed is a request as it may be logged: its name may be the secret itself.
func unnamed(r *KeyRequest) *KeyRequest { return &KeyRequest{ID: r.ID} }

// switchShared makes the call that disables or enables a shared secret.
func (s *Service) switchShared(disabled bool) func(context.Context, *KeyRequest) (any, error) {
	return func(ctx context.Context, r *KeyRequest) (any, error) {
		return nil, s.update(ctx, unnamed(r), "shared secret switched", func(k *title.Keys) error {
			i := findShared(k, r.Name)
			if i < 0 {
				return noName(r.Name)
			}
			k.Shared[i].Disabled = disabled
			return nil
		})
	}
}

func (s *Service) deleteShared(ctx context.Context, r *KeyRequest) (any, error) {
	return nil, s.update(ctx, unnamed(r), "shared secret deleted", func(k *title.Keys) error {
		i := findShared(k, r.Name)
		if i < 0 {
			return noName(r.Name)
		}
		k.Shared = slices.Delete(k.Shared, i, i+1)
		return nil
	})
}
