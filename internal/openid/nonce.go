package openid

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	maxNonces = 100_000
	// again is how long the token of a nonce is taken again: a client tries once
	// more when an answer was lost, or asks first without and then with the wish
	// for a new account.
	again = time.Minute
)

// nonces remembers which were used, so that a token that leaked opens no second
// sign-in. When it is full, the oldest are forgotten.
type nonces struct {
	mu    sync.Mutex
	seen  map[[sha256.Size]byte]nonce
	order [][sha256.Size]byte // keys of seen, oldest first, from head on
	head  int
}

type nonce struct {
	token [sha256.Size]byte
	first time.Time
	until time.Time // the token's expiry
}

// use reports whether the nonce of a token may be used now, and notes it.
func (n *nonces) use(issuer, client, value, token string, now, expiry time.Time) bool {
	key := sha256.Sum256([]byte(issuer + "\x00" + client + "\x00" + value))
	hash := sha256.Sum256([]byte(token))
	n.mu.Lock()
	defer n.mu.Unlock()
	if old, ok := n.seen[key]; ok && now.Before(old.until) {
		return old.token == hash && now.Sub(old.first) < again
	} else if ok {
		n.seen[key] = nonce{hash, now, expiry} // keeps its place in the order
		return true
	}
	if n.seen == nil {
		n.seen = map[[sha256.Size]byte]nonce{}
	}
	for n.head < len(n.order) && (len(n.seen) >= maxNonces || !now.Before(n.seen[n.order[n.head]].until)) {
		delete(n.seen, n.order[n.head])
		n.head++
	}
	if n.head > len(n.order)/2 {
		n.order, n.head = append(n.order[:0], n.order[n.head:]...), 0
	}
	n.seen[key] = nonce{hash, now, expiry}
	n.order = append(n.order, key)
	return true
}
