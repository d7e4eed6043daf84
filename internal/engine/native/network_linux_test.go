package native_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"ludgate"
	"ludgate/internal/engine"
)

func TestPublishedPort(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.group()
		g.Address, g.Publish = address(), []engine.Publish{{Port: 80, Protocol: ludgate.TCP}}
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		run := r.start(g, container("serve"))
		url := fmt.Sprintf("http://%s/", g.Address)
		if got, want := get(t, url), "Hello from ludgate/hello on the-group.\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		r.untilLog(g, run, "GET / 200")

		// It stays open over a restart of the container.
		if err := r.Kill(t.Context(), g.Key, run, patience); err != nil {
			t.Fatal(err)
		}
		if _, err := http.Get(url); err == nil {
			t.Error("a page came from a container that has ended")
		}
		r.start(g, container("serve"))
		get(t, url)

		// A new wish moves it.
		g.Publish = []engine.Publish{{Port: 8081}}
		if err := r.Sandbox(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		if _, err := http.Get(url); err == nil {
			t.Error("a port that is not published any more is open")
		}
	})
}

func TestPublishedPortOfAnotherGroup(t *testing.T) {
	r := builtin(t)
	at := address()
	a, b := r.group(), r.group()
	for _, g := range []*engine.Group{a, b} {
		g.Address, g.Publish = at, []engine.Publish{{Port: 80}}
	}
	if err := r.Sandbox(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	err := r.Sandbox(t.Context(), b)
	if want := fmt.Sprintf("port 80/TCP of %s is taken", at); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if err := r.Cleanup(t.Context(), a.Key); err != nil {
		t.Fatal(err)
	}
	if err := r.Sandbox(t.Context(), b); err != nil {
		t.Errorf("after the other is gone: %v", err)
	}
}

func TestPublishedUDPPort(t *testing.T) {
	r := builtin(t)
	r.probeImage("echo")
	g := r.group()
	g.Address, g.Publish = address(), []engine.Publish{{Port: 7777, Protocol: ludgate.UDP}}
	if err := r.Sandbox(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	run := r.start(g, r.probe("echo", "udp-echo", "7777"))
	r.untilLog(g, run, "listening")
	c, err := net.Dial("udp", netip.AddrPortFrom(g.Address, 7777).String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("ping")); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(patience))
	buf := make([]byte, 100)
	n, err := c.Read(buf)
	if err != nil || string(buf[:n]) != "echo ping" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
}

func TestContainersOfAGroupMeet(t *testing.T) {
	launchers(t, func(t *testing.T, r *rig) {
		g := r.sandbox()
		r.start(g, container("serve", "--port", "8080"))
		eventually(t, func() error {
			exit, text := r.run(g, container("fetch", "http://127.0.0.1:8080/"))
			if exit.Code != 0 || !strings.HasPrefix(text, "Hello") {
				return fmt.Errorf("%+v: %s", exit, text)
			}
			return nil
		})
		// And under the group's own name and address.
		if text := r.succeed(g, container("fetch", "http://the-group:8080/")); !strings.HasPrefix(text, "Hello") {
			t.Errorf("got %q", text)
		}
	})
}

func TestGroupsAreIsolated(t *testing.T) {
	r := builtin(t)
	a, b := r.sandbox(), r.sandbox()
	run := r.start(a, container("serve", "--port", "8080"))
	r.untilLog(a, run, "listening")
	if exit, text := r.run(b, container("fetch", "http://127.0.0.1:8080/")); exit.Code == 0 {
		t.Errorf("a group reached another's loopback: %s", text)
	}
	// Nor over the bridge. Two groups on it are two isolated ports.
	own := groupAddress(t, r, a)
	r.probeImage("dial")
	exit, text := r.run(b, r.probe("dial", "dial", own+":8080"))
	if exit.Code == 0 {
		t.Errorf("a group reached another over the bridge: %s", text)
	}
	// The group itself does; so it was not the address that was wrong.
	r.succeed(a, container("fetch", "http://"+own+":8080/"))
	// They do not see each other's processes either.
	if text := r.succeed(b, r.probe("dial", "processes")); strings.TrimSpace(text) != "1" {
		t.Errorf("processes seen in a container: %s", text)
	}
}

// groupAddress is the address a group has on the bridge.
func groupAddress(t *testing.T, r *rig, g *engine.Group) string {
	t.Helper()
	for line := range strings.Lines(r.succeed(g, container("cat", "/etc/hosts"))) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[1] == "the-group" {
			if strings.HasPrefix(fields[0], "127.") {
				t.Skip("there is no bridge here")
			}
			return fields[0]
		}
	}
	t.Fatal("the group has no address in /etc/hosts")
	return ""
}

// Two restarts and many groups: every group keeps its address, no two have one.
func TestAddressesAreKept(t *testing.T) {
	r := builtin(t)
	addresses := map[string]string{} // group -> address
	groups := map[string]*engine.Group{}
	for range 3 {
		g := r.sandbox()
		groups[g.Key], addresses[g.Key] = g, groupAddress(t, r, g)
	}
	for range 2 {
		r.close()
		r.open()
		if _, err := r.Adopt(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := r.sandbox()
		groups[g.Key], addresses[g.Key] = g, groupAddress(t, r, g)
	}
	seen := map[string]bool{}
	for key, at := range addresses {
		if err := r.Sandbox(t.Context(), groups[key]); err != nil {
			t.Fatal(err)
		}
		if now := groupAddress(t, r, groups[key]); now != at {
			t.Errorf("group %s had %s and has %s", key, at, now)
		}
		if seen[at] {
			t.Errorf("two groups have %s", at)
		}
		seen[at] = true
	}
}

// A container reaches another machine, which sees the request come from this
// one. The other machine is a network namespace with a link to ours.
func TestOutbound(t *testing.T) {
	r := builtin(t)
	g := r.sandbox()
	groupAddress(t, r, g)
	if strings.Contains(r.log.String(), "do not reach other machines") {
		t.Skipf("this kernel does not masquerade:\n%s", r.log.String())
	}
	const here, there = "198.51.100.1", "198.51.100.2"
	seen := otherMachine(t, here, there)
	if text := r.succeed(g, container("fetch", "http://"+there+":8080/")); text != "from outside" {
		t.Errorf("got %q", text)
	}
	if from := <-seen; from != here {
		t.Errorf("the request came from %s, want this machine's address %s", from, here)
	}
}

// otherMachine makes a network namespace at the other end of a link, with a web
// server that tells on the channel where requests come from.
func otherMachine(t *testing.T, here, there string) <-chan string {
	t.Helper()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own, err := netns.Get()
	must("own namespace", err)
	defer own.Close()
	other, err := netns.New() // and this thread is in it
	must("new namespace", err)
	t.Cleanup(func() { other.Close() })
	listener, listenErr := net.Listen("tcp", ":8080")
	must("back", netns.Set(own))
	must("listen", listenErr)
	t.Cleanup(func() { listener.Close() })

	attrs := netlink.NewLinkAttrs()
	attrs.Name = fmt.Sprintf("lt%d", os.Getpid())
	must("veth", netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "eth0", PeerNamespace: netlink.NsFd(other)}))
	t.Cleanup(func() {
		link, err := netlink.LinkByName(attrs.Name)
		if err == nil {
			err = netlink.LinkDel(link)
		}
		if err != nil {
			t.Errorf("remove the link: %v", err)
		}
	})
	inside, err := netlink.NewHandleAt(other, unix.NETLINK_ROUTE)
	must("enter", err)
	defer inside.Close()
	for _, end := range []struct {
		add   func(netlink.Link, *netlink.Addr) error
		up    func(netlink.Link) error
		find  func(string) (netlink.Link, error)
		name  string
		owner string
	}{
		{netlink.AddrAdd, netlink.LinkSetUp, netlink.LinkByName, attrs.Name, here},
		{inside.AddrAdd, inside.LinkSetUp, inside.LinkByName, "eth0", there},
	} {
		link, err := end.find(end.name)
		must("find "+end.name, err)
		must("address", end.add(link, &netlink.Addr{IPNet: &net.IPNet{IP: net.ParseIP(end.owner), Mask: net.CIDRMask(24, 32)}}))
		must("up", end.up(link))
	}

	seen := make(chan string, 10)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		host, _, _ := net.SplitHostPort(req.RemoteAddr)
		seen <- host
		io.WriteString(w, "from outside")
	})}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return seen
}

func BenchmarkRequestThroughPublishedPort(b *testing.B) {
	r := benchRig(b, "builtin")
	g := r.group()
	g.Address, g.Publish = address(), []engine.Publish{{Port: 80}}
	if err := r.Sandbox(b.Context(), g); err != nil {
		b.Fatal(err)
	}
	r.start(g, container("serve"))
	url := fmt.Sprintf("http://%s/health", g.Address)
	get(b, url)
	for name, transport := range map[string]*http.Transport{"kept": {}, "new": {DisableKeepAlives: true}} {
		b.Run(name, func(b *testing.B) {
			client := &http.Client{Transport: transport}
			defer client.CloseIdleConnections()
			for b.Loop() {
				resp, err := client.Get(url)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}
