package ticket

import (
	"encoding/binary"
	"slices"
	"time"
)

// EntityType is what sort of entity an entity token stands for; the values are
// the contract's entity type names.
type EntityType string

// Entity types.
const (
	TitlePlayerAccount  EntityType = "title_player_account"  // a player in one title
	MasterPlayerAccount EntityType = "master_player_account" // the account itself
	TitleEntity         EntityType = "title"                 // the title: its servers
)

// entityTypes have the byte that stands for them in a token as index; 0 is a
// session ticket, which stands for none. Places are never given a second time.
var entityTypes = []EntityType{"", TitlePlayerAccount, MasterPlayerAccount, TitleEntity}

// LoginIdentityProvider is by what a player signed in; the values are those of
// the enumeration of that name (P-2.LinkedPlatformAccountModel.Platform).
type LoginIdentityProvider string

// Providers. The zero value is unknown: in tokens of earlier versions, and in
// those of titles, which nobody signs in for.
const (
	ByPassword     LoginIdentityProvider = "Platform" // with user name or e-mail
	ByStreaming    LoginIdentityProvider = "StreamingPlatform"
	ByCustomID     LoginIdentityProvider = "Custom"
	ByServerCustom LoginIdentityProvider = "CustomServer"
	ByOpenID       LoginIdentityProvider = "OpenIdConnect"
)

// providers have the byte that stands for them in a proof as index, likewise.
var providers = []LoginIdentityProvider{"", ByPassword, ByStreaming, ByCustomID, ByServerCustom, ByOpenID}

// Bearer is whom a proof is made for. A title entity has a title only.
type Bearer struct {
	Title    string                // title id
	Player   string                // PlatformId; holds no "-"
	Account  string                // id of the title player account
	Provider LoginIdentityProvider // by what the player signed in
	// Since is when the bearer showed who it is, by signing in or with a secret
	// key; zero is now. It goes with the bearer from proof to proof, so that
	// taking back what was made until some moment also stops what was made of
	// that later.
	Since time.Time
}

// ID is the id of the bearer as an entity of type t.
func (b Bearer) ID(t EntityType) string {
	switch t {
	case MasterPlayerAccount:
		return b.Player
	case TitleEntity:
		return b.Title
	}
	return b.Account
}

// Claims are what a proof says.
type Claims struct {
	Bearer
	Type    EntityType // of an entity token; "" in a session ticket
	Issued  time.Time
	Expires time.Time
}

// Versions of claims. Version 1 had neither provider nor sign-in time, which is
// taken to be that of its issue; it is still read.
const (
	claimsVersion = 2
	oldVersion    = 1
	nonceSize     = 8
	claimsTail    = 8 + 8 + nonceSize // issue, expiry and nonce
)

// encode writes claims as version, entity type, provider, times of sign-in, issue
// and expiry in milliseconds, a nonce that tells two proofs of one moment apart, and the
// bearer's three strings, each after a byte that holds its length. A type or
// provider that is not in the lists is written as one that no reader accepts.
func (c Claims) encode(nonce [nonceSize]byte) []byte {
	b := make([]byte, 0, 3+8+claimsTail+3+len(c.Title)+len(c.Player)+len(c.Account))
	b = append(b, claimsVersion, byte(slices.Index(entityTypes, c.Type)), byte(slices.Index(providers, c.Provider)))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Since.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Issued.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Expires.UnixMilli()))
	b = append(b, nonce[:]...)
	for _, s := range [...]string{c.Title, c.Player, c.Account} {
		b = append(append(b, byte(len(s))), s...)
	}
	return b
}

// decodeClaims reads what encode writes, or wrote in version 1, and nothing else.
func decodeClaims(b []byte) (c Claims, ok bool) {
	if len(b) < 2 || int(b[1]) >= len(entityTypes) {
		return c, false
	}
	c.Type = entityTypes[b[1]]
	first := b[0] == oldVersion
	switch {
	case first:
		b = b[2:]
	case b[0] == claimsVersion && len(b) >= 3+8 && int(b[2]) < len(providers):
		c.Provider, c.Since = providers[b[2]], readTime(b[3:])
		b = b[3+8:]
	default:
		return c, false
	}
	if len(b) < claimsTail {
		return c, false
	}
	c.Issued, c.Expires = readTime(b), readTime(b[8:])
	if first {
		c.Since = c.Issued
	}
	names := string(b[claimsTail:]) // the three share it
	for _, s := range [...]*string{&c.Title, &c.Player, &c.Account} {
		if names == "" || len(names) < 1+int(names[0]) {
			return c, false
		}
		*s, names = names[1:1+int(names[0])], names[1+int(names[0]):]
	}
	return c, names == ""
}

// readTime reads a time at the beginning of b.
func readTime(b []byte) time.Time { return time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC() }
