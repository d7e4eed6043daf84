package bridge

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/nftables"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

func TestChoose(t *testing.T) {
	first, ok := choose("0123abcd", nil)
	if !ok || first.Bits() != 20 || !pools[0].Overlaps(first) || first != first.Masked() {
		t.Fatalf("got %v %v", first, ok)
	}
	if again, _ := choose("0123abcd", nil); again != first {
		t.Errorf("not the same again: %v, %v", first, again)
	}
	if other, _ := choose("deadbeef", nil); other == first {
		t.Errorf("another installation wants the same: %v", other)
	}
	second, ok := choose("0123abcd", []netip.Prefix{first})
	if !ok || second.Overlaps(first) {
		t.Errorf("got %v %v although %v is taken", second, ok, first)
	}
	// A route that covers a whole pool, as of a company's network.
	elsewhere, ok := choose("0123abcd", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	if !ok || !pools[1].Overlaps(elsewhere) {
		t.Errorf("got %v %v", elsewhere, ok)
	}
	if p, ok := choose("0123abcd", pools); ok {
		t.Errorf("got %v although everything is taken", p)
	}
}

func TestAddress(t *testing.T) {
	subnet := netip.MustParsePrefix("10.200.16.0/20")
	seen := map[netip.Addr]bool{}
	for host := 1; host <= MaxHost; host++ {
		a := address(subnet, host)
		if !subnet.Contains(a) || seen[a] || a == subnet.Addr() {
			t.Fatalf("host %d has %v", host, a)
		}
		seen[a] = true
	}
	if seen[netip.MustParseAddr("10.200.31.255")] {
		t.Error("the broadcast address was given away")
	}
	if a := address(netip.Prefix{}, 5); a.IsValid() {
		t.Errorf("an address without a subnet: %v", a)
	}
}

// inNewMachine gives the test a network of its own, with nothing in it.
func inNewMachine(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: only it may make network namespaces")
	}
	runtime.LockOSThread() // for good: the thread ends with the test
	ns, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close() })
}

func TestLifeOfANetwork(t *testing.T) {
	inNewMachine(t)
	path := filepath.Join(t.TempDir(), "network.json")
	n, err := Open(path, "00000000")
	if err != nil {
		t.Fatal(err)
	}
	if n.Address(2).IsValid() {
		t.Error("an address before there is a network")
	}
	// ip_forward cannot be written from here: /proc/sys follows the namespace,
	// which is ours, so it can.
	n.mu.Lock()
	err = n.prepare()
	n.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	subnet := n.subnet
	link, err := netlink.LinkByName("ludgate00000000")
	if err != nil {
		t.Fatal(err)
	}
	addrs, err := netlink.AddrList(link, netlink.FAMILY_V4)
	if err != nil || len(addrs) != 1 || addrs[0].IP.String() != address(subnet, 1).String() {
		t.Errorf("the bridge has %v, %v", addrs, err)
	}
	if got := chains(t); got != 2 {
		t.Errorf("%d chains of rules, want 2", got)
	}

	// Another process of the same installation finds all of it.
	again, err := Open(path, "00000000")
	if err != nil {
		t.Fatal(err)
	}
	if err := again.prepare(); err != nil {
		t.Fatal(err)
	}
	if again.subnet != subnet {
		t.Errorf("subnet %v became %v", subnet, again.subnet)
	}
	if got := chains(t); got != 2 {
		t.Errorf("%d chains of rules after the second, want 2", got)
	}
	for range 2 {
		if err := again.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := netlink.LinkByName("ludgate00000000"); !isGone(err) {
		t.Errorf("the bridge is left: %v", err)
	}
	if got := chains(t); got != 0 {
		t.Errorf("%d chains of rules are left", got)
	}
	if err := again.Detach(7); err != nil {
		t.Errorf("Detach of what is not attached: %v", err)
	}

	// Somebody else took the subnet meanwhile: another one is chosen.
	dummy := &netlink.Dummy{LinkAttrs: netlink.NewLinkAttrs()}
	dummy.Name = "other"
	if err := netlink.LinkAdd(dummy); err != nil {
		t.Skipf("no dummy interfaces here: %v", err)
	}
	taken, err := netlink.ParseAddr(netip.PrefixFrom(address(subnet, 77), 24).String())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(netlink.AddrAdd(dummy, taken), netlink.LinkSetUp(dummy)); err != nil {
		t.Fatal(err)
	}
	if err := again.prepare(); err != nil {
		t.Fatal(err)
	}
	if again.subnet.Overlaps(subnet) {
		t.Errorf("%v overlaps what is taken", again.subnet)
	}
}

// chains counts the chains of our table.
func chains(t *testing.T) (n int) {
	t.Helper()
	conn, err := nftables.New()
	if err != nil {
		t.Skipf("no nftables here: %v", err)
	}
	all, err := conn.ListChainsOfTableFamily(nftables.TableFamilyIPv4)
	if errors.Is(err, unix.ENOENT) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Table.Name == "ludgate00000000" {
			n++
		}
	}
	return n
}

func TestBadNames(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "network.json"), "0123456789"); err == nil {
		t.Error("a bridge name that does not fit was accepted")
	}
}
