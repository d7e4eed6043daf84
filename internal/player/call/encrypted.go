package call

import (
	"bytes"
	"context"
	"reflect"

	"ludgate/internal/clientcrypto"
	"ludgate/internal/player/title"
)

// A request may carry the members that identify a player in EncryptedRequest,
// encrypted for the title's key pair (P-2.RegisterPlatformUserRequest.EncryptedRequest).
// What is inside wins over the same member outside.

// outside are members that are never taken from inside: they say for which title
// and how the call is made, not for whom.
var outside = map[string]bool{
	"TitleId": true, "EncryptedRequest": true, "CreateAccount": true, "InfoRequestParameters": true, "CustomTags": true,
}

// unseal puts the members of an encrypted request into the record of the call.
// Whatever is wrong with it, the refusal is the same, because a caller who could
// tell the reasons apart could in the end decrypt what others sent.
func (g *Gate) unseal(ctx context.Context, c *Call, s *shape, req any) error {
	sealed := s.text(req, s.encrypted)
	if sealed == "" {
		return nil
	}
	pair, err := g.KeyPair(c.Title)
	if err != nil {
		g.opt.Log.ErrorContext(ctx, "key pair of a title cannot be used", "title", c.Title.ID, "error", err)
	}
	if pair == nil {
		return Refuse("EncryptionKeyMissing", "Encryption key missing for title")
	}
	plain, err := pair.Open(sealed, c.Title.AllowPKCS1v15)
	if err == nil {
		err = s.merge(c, req, plain)
	}
	if err != nil {
		f := &Faults{}
		f.Add("EncryptedRequest", "The encrypted request cannot be opened.")
		return f.Err()
	}
	return nil
}

// merge decodes a JSON object over a record, save for the members that stay
// outside.
func (s *shape) merge(c *Call, req any, object []byte) error {
	v := reflect.ValueOf(req).Elem()
	kept := make([]reflect.Value, len(s.outside))
	for i, index := range s.outside {
		m := v.FieldByIndex(index)
		kept[i] = reflect.New(m.Type()).Elem()
		kept[i].Set(m)
		m.SetZero() // so that nothing is decoded into what it points to
	}
	inner := *c.Request
	inner.Body = object
	err := inner.Decode(req)
	for i, index := range s.outside {
		v.FieldByIndex(index).Set(kept[i])
	}
	return err
}

// readPair is a title's key pair as it was read from a document.
type readPair struct {
	der  []byte
	pair *clientcrypto.KeyPair
	err  error
}

// KeyPair gives the key pair of a title's encrypted requests; nil when it has
// none.
func (g *Gate) KeyPair(t *title.Title) (*clientcrypto.KeyPair, error) {
	der := t.KeyPair()
	if der == nil {
		return nil, nil
	}
	if v, ok := g.pairs.Load(t.ID); ok {
		if r := v.(*readPair); bytes.Equal(r.der, der) {
			return r.pair, r.err
		}
	}
	r := &readPair{der: der}
	r.pair, r.err = clientcrypto.ParseKeyPair(der)
	g.pairs.Store(t.ID, r)
	return r.pair, r.err
}
