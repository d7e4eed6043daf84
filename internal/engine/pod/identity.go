package pod

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ludgate/internal/engine"
)

// A run's name carries what must be known after a crash even when the state
// file is old: "<container>-<n>-<definition>". n counts all starts in the group,
// so it also says what came after what; definition is a keyed hash, so that
// neither a file name nor a process list lets anyone guess at secret variables.

const sumLen = 12 // hexadecimal digits of a definition's hash

var (
	keyPattern = regexp.MustCompile(`^[0-9a-f]{1,32}$`)
	runPattern = regexp.MustCompile(`^(.+)-([0-9]{1,18})-([0-9a-f]{12})$`)
)

func runName(container string, n int64, definition string) string {
	return container + "-" + strconv.FormatInt(n, 10) + "-" + definition
}

func parseRun(id string) (container string, n int64, definition string, ok bool) {
	m := runPattern.FindStringSubmatch(id)
	if m == nil {
		return "", 0, "", false
	}
	n, err := strconv.ParseInt(m[2], 10, 64)
	return m[1], n, m[3], err == nil
}

// definition is what a container must be restarted for. Ports are not in it
// (they are declared for the group's address, which the ground serves), nor is
// Secret. Members added later must be left out when zero, so that an upgrade of
// the server restarts nothing.
type definition struct {
	Init                       bool `json:",omitzero"`
	Name, Image                string
	Command                    []string    `json:",omitzero"`
	Env                        [][2]string `json:",omitzero"`
	CPURequest, CPULimit       float64     `json:",omitzero"`
	MemoryRequest, MemoryLimit int64       `json:",omitzero"`
}

// sum hashes a container's definition.
func (s *Supervisor) sum(c *engine.Container, isInit bool) string {
	d := definition{
		Init: isInit, Name: c.Name, Image: c.Image, Command: c.Command,
		CPURequest: c.CPURequest, CPULimit: c.CPULimit,
		MemoryRequest: c.MemoryRequest, MemoryLimit: c.MemoryLimit,
	}
	for _, e := range c.Env {
		d.Env = append(d.Env, [2]string{e.Name, e.Value})
	}
	return s.hash(d)
}

// hash is the keyed hash of v's JSON form.
func (s *Supervisor) hash(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // a NaN among the CPU figures: no definition at all
		b = []byte(err.Error())
	}
	h := hmac.New(sha256.New, s.secret)
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))[:sumLen]
}

// cloneGroup copies a wish, so that the caller may reuse its own.
func cloneGroup(g *engine.Group) *engine.Group {
	c := *g
	c.Init = cloneContainers(g.Init)
	c.Containers = cloneContainers(g.Containers)
	c.Publish = slices.Clone(g.Publish)
	c.Logins = slices.Clone(g.Logins)
	c.Hosts = slices.Clone(g.Hosts)
	for i := range c.Hosts {
		c.Hosts[i].Names = slices.Clone(c.Hosts[i].Names)
	}
	return &c
}

func cloneContainers(in []engine.Container) []engine.Container {
	out := slices.Clone(in)
	for i := range out {
		out[i].Command = slices.Clone(out[i].Command)
		out[i].Env = slices.Clone(out[i].Env)
		out[i].Ports = slices.Clone(out[i].Ports)
	}
	return out
}

// checkWish refuses what no service should send: it is a fault of ours then.
func checkWish(g *engine.Group) string {
	switch {
	case g == nil:
		return "no group"
	case !keyPattern.MatchString(g.Key):
		return "bad group key " + strconv.Quote(g.Key)
	case len(g.Containers) == 0:
		return "group without containers"
	}
	seen := make(map[string]bool, len(g.Init)+len(g.Containers))
	for _, c := range slices.Concat(g.Init, g.Containers) {
		if !containerPattern.MatchString(c.Name) {
			return "bad container name " + strconv.Quote(c.Name)
		}
		if seen[c.Name] {
			return "container name " + strconv.Quote(c.Name) + " is used twice"
		}
		if strings.TrimSpace(c.Image) == "" {
			return "container " + strconv.Quote(c.Name) + " has no image"
		}
		seen[c.Name] = true
	}
	return ""
}

var containerPattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
