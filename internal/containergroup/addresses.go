package containergroup

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"net/netip"
)

// Addresses is a set of addresses that groups are given, one each. It keeps no
// record of who has which: the ledger of names does.
type Addresses interface {
	// Contains reports whether a is one of them.
	Contains(a netip.Addr) bool
	// From yields each of them once, beginning at a place that depends on seed.
	From(seed string) iter.Seq[netip.Addr]
}

// Loopback are 127.1.0.1 to 127.255.255.254 without those that end in 0 or 255:
// reachable on this host only. Below are the addresses of the host itself and of
// its resolver.
func Loopback() Addresses { return loopback{} }

type loopback struct{}

// loopbackSize is how many addresses Loopback has.
const loopbackSize = 255 * 256 * 254

func (loopback) Contains(a netip.Addr) bool {
	if !a.Is4() {
		return false
	}
	b := a.As4()
	return b[0] == 127 && b[1] != 0 && b[3] != 0 && b[3] != 255
}

func (loopback) From(seed string) iter.Seq[netip.Addr] {
	return rotate(seed, loopbackSize, func(n uint64) netip.Addr {
		return netip.AddrFrom4([4]byte{127, byte(1 + n/(256*254)), byte(n / 254 % 256), byte(1 + n%254)})
	})
}

// maxPool bounds how many addresses a pool may have.
const maxPool = 1 << 20

// Pool are the addresses that an operator gave: each an address, or a prefix of
// which the first and last address are left out where it is an IPv4 network of
// more than two.
func Pool(entries ...string) (Addresses, error) {
	p := pool{index: map[netip.Addr]bool{}}
	for _, e := range entries {
		if a, err := netip.ParseAddr(e); err == nil {
			p.add(a)
			continue
		}
		prefix, err := netip.ParsePrefix(e)
		if err != nil {
			return nil, fmt.Errorf("%q is neither an address nor a prefix like 192.0.2.0/24", e)
		}
		prefix = prefix.Masked()
		bits := prefix.Addr().BitLen() - prefix.Bits()
		if bits > 20 {
			return nil, fmt.Errorf("%s has more than %d addresses; name a smaller prefix", prefix, maxPool)
		}
		last := 1<<bits - 1
		a := prefix.Addr()
		for i := 0; i <= last; i++ {
			if !(a.Is4() && bits > 1 && (i == 0 || i == last)) {
				p.add(a)
			}
			a = a.Next()
		}
	}
	if len(p.list) == 0 || len(p.list) > maxPool {
		return nil, fmt.Errorf("%d public addresses are configured; between 1 and %d are needed", len(p.list), maxPool)
	}
	return &p, nil
}

type pool struct {
	list  []netip.Addr
	index map[netip.Addr]bool
}

func (p *pool) add(a netip.Addr) {
	a = a.Unmap()
	if !p.index[a] {
		p.index[a] = true
		p.list = append(p.list, a)
	}
}

func (p *pool) Contains(a netip.Addr) bool { return p.index[a.Unmap()] }

func (p *pool) From(seed string) iter.Seq[netip.Addr] {
	return rotate(seed, uint64(len(p.list)), func(n uint64) netip.Addr { return p.list[n] })
}

// rotate yields at(0)…at(size-1) in a circle that begins where seed says.
func rotate(seed string, size uint64, at func(uint64) netip.Addr) iter.Seq[netip.Addr] {
	sum := sha256.Sum256([]byte(seed))
	start := binary.BigEndian.Uint64(sum[:8]) % size
	return func(yield func(netip.Addr) bool) {
		for i := range size {
			if !yield(at((start + i) % size)) {
				return
			}
		}
	}
}

// candidates are the addresses to try for a group: the wish if it is one of
// them, then all from where the seed says.
func candidates(set Addresses, wish, seed string) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		wished, err := netip.ParseAddr(wish)
		if err == nil && set.Contains(wished) && !yield(wished.Unmap()) {
			return
		}
		for a := range set.From(seed) {
			if !yield(a) {
				return
			}
		}
	}
}
