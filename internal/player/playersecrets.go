package player

import (
	"context"

	"ludgate/internal/clientcrypto"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/player/title"
	"ludgate/internal/secret"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// SetPlayerSecretRequest gives the caller the secret that its requests are signed
// with from now on. A player does so once.
type SetPlayerSecretRequest struct {
	PlayerSecret     secret.Text `json:"PlayerSecret" required:"true"`
	EncryptedRequest secret.Text `json:"EncryptedRequest"`
}

// SetSecretOfPlayerRequest gives a player a secret; the title's tools may do so
// again and again.
type SetSecretOfPlayerRequest struct {
	PlatformId   string      `json:"PlatformId" required:"true"`
	PlayerSecret secret.Text `json:"PlayerSecret" required:"true"`
}

// GetTitlePublicKeyRequest asks for the public key of encrypted requests.
type GetTitlePublicKeyRequest struct {
	TitleId           string      `json:"TitleId"`
	TitleSharedSecret secret.Text `json:"TitleSharedSecret" required:"true"`
}

// GetTitlePublicKeyResult is the answer to it: base64 of a PUBLICKEYBLOB.
type GetTitlePublicKeyResult struct {
	RSAPublicKey string `json:"RSAPublicKey"`
}

// playerSecretRoutes are the calls about player secrets and encrypted requests.
func (s *Service) playerSecretRoutes() []wire.Route {
	return []wire.Route{
		call.Post(s.gate, call.Session, "/Client/SetPlayerSecret", s.setOwnSecret),
		call.Post(s.gate, call.Secret, "/Server/SetPlayerSecret", s.setSecretByServer),
		call.Post(s.gate, call.Secret, "/Admin/SetPlayerSecret", s.setSecretByAdmin),
		call.Post(s.gate, call.Anonymous, "/Client/GetTitlePublicKey", s.getTitlePublicKey),
	}
}

// setSecret gives a player a secret. One who has one already keeps it, unless it
// is to be overwritten; then its proofs are taken back, as whoever knew the old
// secret may have them.
func (s *Service) setSecret(tx store.Tx, t *title.Title, player string, secret secret.Text, overwrite bool) (*account.Account, error) {
	had := false
	a, err := account.Change(tx, t.ID, player, demands(t), func(a *account.Account) error {
		had = a.Secret != ""
		if had && !overwrite {
			return call.Refuse("PlayerSecretAlreadyConfigured", "Player secret is already configured")
		}
		a.Secret = s.gate.SealSecret(a, secret.Reveal())
		return nil
	})
	if err == nil && had && s.opt.Revoke != nil {
		err = s.opt.Revoke(tx, t.ID, player, s.clock())
	}
	return a, answerTo(err)
}

func (s *Service) setSecretOf(ctx context.Context, c *call.Call, player string, secret secret.Text, overwrite bool) error {
	f := &faults{}
	checkPlayerSecret(f, secret)
	if err := f.Err(); err != nil {
		return err
	}
	return s.store.Write(ctx, func(tx store.Tx) error {
		_, err := s.setSecret(tx, c.Title, player, secret, overwrite)
		return err
	})
}

func (s *Service) setOwnSecret(ctx context.Context, c *call.Call, r *SetPlayerSecretRequest) (any, error) {
	return nil, s.setSecretOf(ctx, c, c.Player, r.PlayerSecret, false)
}

func (s *Service) setSecretByServer(ctx context.Context, c *call.Call, r *SetSecretOfPlayerRequest) (any, error) {
	return nil, s.setSecretOf(ctx, c, clean(r.PlatformId), r.PlayerSecret, false)
}

func (s *Service) setSecretByAdmin(ctx context.Context, c *call.Call, r *SetSecretOfPlayerRequest) (any, error) {
	return nil, s.setSecretOf(ctx, c, clean(r.PlatformId), r.PlayerSecret, true)
}

// getTitlePublicKey gives the title's public key to who has a shared secret. The
// first to ask has the key pair made, which takes some tenths of a second.
func (s *Service) getTitlePublicKey(ctx context.Context, c *call.Call, r *GetTitlePublicKeyRequest) (any, error) {
	if len(c.Title.SharedSecrets()) == 0 {
		return nil, call.Refuse("NoSharedSecretKeyConfigured", "The title has no shared secret")
	}
	if _, match := c.Title.CheckShared(r.TitleSharedSecret.Reveal()); !match {
		return nil, call.Refuse("InvalidSharedSecretKey", "The shared secret is wrong or disabled")
	}
	t := c.Title
	if t.KeyPair() == nil {
		if err := s.makeKeyPair(ctx, t.ID); err != nil {
			return nil, err
		}
		t, _ = s.gate.Titles().Get(t.ID)
	}
	pair, err := s.gate.KeyPair(t)
	if err != nil || pair == nil {
		return nil, call.Refuse("EncryptionKeyBroken", "The title's key pair cannot be used").Because(err)
	}
	return &GetTitlePublicKeyResult{RSAPublicKey: pair.PublicKeyBlob()}, nil
}

// makeKeyPair makes a title's key pair, unless it has got one in the meantime.
func (s *Service) makeKeyPair(ctx context.Context, titleID string) error {
	s.pairMu.Lock()
	defer s.pairMu.Unlock()
	if t, ok := s.gate.Titles().Get(titleID); ok && t.KeyPair() != nil {
		return nil
	}
	pair, err := clientcrypto.NewKeyPair()
	if err != nil {
		return err
	}
	der, err := pair.Marshal()
	if err != nil {
		return err
	}
	return s.gate.Titles().UpdateKeys(ctx, titleID, func(k *title.Keys) error {
		if k.Pair == nil {
			k.Pair = der
		}
		return nil
	})
}
