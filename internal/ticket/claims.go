package ticket

import (
	"encoding/binary"
	"time"
)

// EntityType is what sort of entity an entity token stands for; the values are
// the contract's entity type names.
type EntityType string

// Entity types of a player.
const (
	TitlePlayerAccount  EntityType = "title_player_account"  // the player in one title
	MasterPlayerAccount EntityType = "master_player_account" // the account itself
)

// entityCodes are the bytes that stand for entity types in a token; 0 is a
// session ticket, which stands for none. Numbers are never given a second time.
var entityCodes = map[EntityType]byte{"": 0, TitlePlayerAccount: 1, MasterPlayerAccount: 2}

// Bearer is whom a proof is made for.
type Bearer struct {
	Title   string // title id
	Player  string // PlatformId; holds no "-"
	Account string // id of the title player account
}

// ID is the id of the bearer as an entity of type t.
func (b Bearer) ID(t EntityType) string {
	if t == MasterPlayerAccount {
		return b.Player
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

const (
	claimsVersion = 1
	nonceSize     = 8
	claimsHead    = 2 + 8 + 8 + nonceSize
)

// encode writes claims as version, entity type, issue and expiry in
// milliseconds, a nonce that tells two proofs of one moment apart, and the
// bearer's three strings, each after a byte that holds its length.
func (c Claims) encode(nonce [nonceSize]byte) []byte {
	b := make([]byte, 0, claimsHead+3+len(c.Title)+len(c.Player)+len(c.Account))
	b = append(b, claimsVersion, entityCodes[c.Type])
	b = binary.BigEndian.AppendUint64(b, uint64(c.Issued.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Expires.UnixMilli()))
	b = append(b, nonce[:]...)
	for _, s := range []string{c.Title, c.Player, c.Account} {
		b = append(append(b, byte(len(s))), s...)
	}
	return b
}

// decodeClaims reads what encode wrote, and nothing else.
func decodeClaims(b []byte) (c Claims, ok bool) {
	if len(b) < claimsHead || b[0] != claimsVersion {
		return c, false
	}
	known := false
	for t, code := range entityCodes {
		if code == b[1] {
			c.Type, known = t, true
		}
	}
	c.Issued = time.UnixMilli(int64(binary.BigEndian.Uint64(b[2:]))).UTC()
	c.Expires = time.UnixMilli(int64(binary.BigEndian.Uint64(b[10:]))).UTC()
	b = b[claimsHead:]
	for _, s := range []*string{&c.Title, &c.Player, &c.Account} {
		if len(b) == 0 || len(b) < 1+int(b[0]) {
			return c, false
		}
		*s, b = string(b[1:1+b[0]]), b[1+b[0]:]
	}
	return c, known && len(b) == 0
}
