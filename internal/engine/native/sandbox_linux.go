package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"ludgate/internal/engine"
	"ludgate/internal/engine/native/bridge"
	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/tun"
)

// Sandbox makes the group's ground or brings it to the new wish: directories, a
// shim with its namespaces, network, /etc files, published ports.
func (r *Runtime) Sandbox(ctx context.Context, wish *engine.Group) error {
	g, err := r.group(wish.Key, true)
	if err != nil {
		return err
	}
	r.launcher() // known before the first group is, so that all use the same
	g.change.Lock()
	defer g.change.Unlock()
	return r.sandbox(ctx, g, wish)
}

// sandbox is Sandbox with g.change held.
func (r *Runtime) sandbox(ctx context.Context, g *group, wish *engine.Group) error {
	if err := r.number(g); err != nil {
		return err
	}
	if !g.isAlive() {
		if err := r.spawnShim(ctx, g); err != nil {
			return err
		}
	}
	if err := r.writeEtc(g, wish); err != nil {
		return fmt.Errorf("write the group's /etc files: %w", err)
	}
	return g.ports.Update(wish.Address, wish.Publish)
}

// number gives the group its number in the subnet, for good, and its directory.
func (r *Runtime) number(g *group) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.record.Host != 0 || r.network == nil {
		return os.MkdirAll(g.place.Dir, 0o700)
	}
	record := g.record
	var err error
	if record.Host, err = r.takeHost(g.key); err != nil {
		return err
	}
	if err = os.MkdirAll(g.place.Dir, 0o700); err == nil {
		err = layout.Write(g.place.Record(), record, false)
	}
	if err != nil {
		r.freeHost(record.Host)
		return err
	}
	g.record = record
	return nil
}

// takeHost finds a number nobody has. Numbers go round, so that one that was
// just given back is not used again soon.
func (r *Runtime) takeHost(key string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	const count = bridge.MaxHost - bridge.MinHost + 1
	for i := range count {
		host := bridge.MinHost + (r.next+i)%count
		if _, taken := r.hosts[host]; !taken {
			r.hosts[host] = key
			r.next = host - bridge.MinHost + 1
			return host, nil
		}
	}
	return 0, fmt.Errorf("this machine holds %d groups and has no address for more", count)
}

func (r *Runtime) freeHost(host int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.hosts, host)
}

// writeEtc writes the files that every container of the group sees in /etc. They
// are changed in place, so running containers see it too.
func (r *Runtime) writeEtc(g *group, wish *engine.Group) error {
	host := hostname(wish)
	var hosts strings.Builder
	hosts.WriteString("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n")
	own := "127.0.1.1"
	if a := r.address(g); a.IsValid() {
		own = a.String()
	}
	fmt.Fprintf(&hosts, "%s %s\n", own, host)
	for _, h := range wish.Hosts {
		fmt.Fprintf(&hosts, "%s %s\n", h.Address, strings.Join(h.Names, " "))
	}
	resolv, ok := resolvConf()
	if r.uplink {
		resolv = "nameserver " + tun.Gateway.String() + "\n"
	} else if !ok && !r.rootless {
		r.once("containers cannot look up names: the system has no name server that they can reach (all are on 127.0.0.0/8)")
	}
	return errors.Join(
		writeIfChanged(g.place.Etc("hosts"), hosts.String()),
		writeIfChanged(g.place.Etc("hostname"), host+"\n"),
		writeIfChanged(g.place.Etc("resolv.conf"), resolv),
	)
}

func writeIfChanged(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Chmod(path, 0o644) // for users in the container, whatever our umask
}

// hostname makes a host name of the group's name: lower-case letters, digits and
// hyphens, at most 63.
func hostname(wish *engine.Group) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			return c
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		default:
			return '-'
		}
	}, wish.Name)
	name = strings.Trim(name[:min(len(name), 63)], "-")
	if name == "" {
		return wish.Key
	}
	return name
}

// resolvConf is the machine's, without name servers that only the machine
// itself can reach. It says whether any is left.
func resolvConf() (text string, ok bool) {
	for _, path := range []string{"/etc/resolv.conf", "/run/systemd/resolve/resolv.conf"} {
		have, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if text, ok = reachable(have); ok {
			return text, true
		}
	}
	return text, false
}

func reachable(conf []byte) (text string, ok bool) {
	var out strings.Builder
	for line := range bytes.Lines(conf) {
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0][0] == '#' || fields[0][0] == ';' {
			continue
		}
		if fields[0] == "nameserver" {
			if len(fields) < 2 {
				continue
			}
			if a, err := netip.ParseAddr(fields[1]); err != nil || a.IsLoopback() {
				continue
			}
			ok = true
		}
		out.WriteString(strings.Join(fields, " ") + "\n")
	}
	return out.String(), ok
}
