package containergroup

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/secret"
	"ludgate/internal/store"
)

// Body is the body of a PUT; *wire.Request is one.
type Body interface {
	// Decode reads it into a record.
	Decode(v any) error
	// MissingMember explains that the object at path lacks a required member,
	// or returns nil when it has it.
	MissingMember(path, name string) *ludgate.Error
}

// PutResult is the answer to a PUT.
type PutResult struct {
	Created bool // 201, else 200
	Group   *ContainerGroupReply
	// Operation is the operation under way, "" when there is nothing to wait for.
	Operation string
}

// Put makes a group, or replaces the configuration of the one there is (C-1.R2).
// It returns when the wish is on disk; the reconciler does the rest. A PUT of
// what is there already changes nothing, unless the group had failed: then it is
// tried again.
func (s *Service) Put(ctx context.Context, id ID, namespace string, body Body) (*PutResult, error) {
	if err := access.Management(ctx, namespace+"/containerGroups/write", id.path(namespace)); err != nil {
		return nil, err
	}
	if err := checkName(id.Name); err != nil {
		return nil, err
	}
	group := &ContainerGroup{}
	if err := body.Decode(group); err != nil {
		return nil, err
	}
	r := request{policy: s.policy, ContainerGroup: group, name: id.Name, missing: body.MissingMember}
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := s.needEngine(); err != nil {
		return nil, err
	}
	c := newChange(s, id, group, r.ipWish, by(ctx, s.opt.Clock()))
	if p := access.From(ctx); p != nil {
		c.tenant = p.Tenant
	}
	if err := s.write(ctx, c.apply); err != nil {
		return nil, err
	}
	out := &PutResult{Created: c.created}
	if c.moved {
		s.queue.add(c.row.key)
	}
	if c.created {
		out.Group = s.replyCreated(c.row, namespace)
	} else {
		out.Group = s.reply(ctx, c.row, namespace)
	}
	if !c.row.state.Terminal() {
		out.Operation = c.row.operation
	}
	return out, nil
}

// change is one PUT inside its transaction.
type change struct {
	s         *Service
	id        ID
	group     *ContainerGroup           // canonical, without passwords
	creds     []ImageRegistryCredential // with passwords
	ipWish    string
	tenant    string
	who       author
	key       string // of a new group
	operation string
	fresh     string // for names that nobody gets again

	row     *row // as it is after the change
	created bool
	moved   bool // the engine has something to do
}

func newChange(s *Service, id ID, group *ContainerGroup, ipWish string, who author) *change {
	c := &change{
		s: s, id: id, group: group, ipWish: ipWish, who: who,
		key: strings.ReplaceAll(ludgate.NewGUID(), "-", ""), operation: ludgate.NewGUID(), fresh: ludgate.NewGUID(),
	}
	c.creds = slices.Clone(group.Properties.ImageRegistryCredentials)
	for i := range group.Properties.ImageRegistryCredentials {
		group.Properties.ImageRegistryCredentials[i].Password = ""
	}
	return c
}

// apply runs in the transaction; it may run more than once.
func (c *change) apply(tx store.Tx) error {
	c.created, c.moved = false, false
	have, err := byName(tx, c.id)
	switch {
	case err != nil:
		return err
	case have == nil:
		return c.create(tx)
	case have.state == ludgate.ProvisioningDeleting:
		// The namesake is on its way out; this is another group.
		if _, err := tx.Exec(groupSupersede, have.key); err != nil {
			return err
		}
		return c.create(tx)
	default:
		return c.replace(tx, have)
	}
}

func (c *change) create(tx store.Tx) error {
	g := &row{
		key: c.key, generation: 1, state: ludgate.ProvisioningPending, operation: c.operation,
		document: document{ID: c.id, Group: c.group, Sealed: c.seal(c.key, c.creds), Created: c.who, Modified: c.who, Since: c.who.At},
	}
	if err := c.claim(tx, g, &row{}); err != nil {
		return err
	}
	if err := g.insert(tx); err != nil {
		return err
	}
	if err := begin(tx, g, kindPut, c.operation, "", c.who.At); err != nil {
		return err
	}
	tx.Notify(topic)
	c.row, c.created, c.moved = g, true, true
	return nil
}

func (c *change) replace(tx store.Tx, have *row) error {
	if have.Group.Properties.OSType != c.group.Properties.OSType {
		return ludgate.Errorf(ludgate.Invalid, "InvalidContainerGroupUpdate",
			"The updates on container group '%s' are invalid. If you are going to update the os type, restart policy, network profile, CPU, memory or GPU resources for a container group, you must delete it first and then create a new one.", have.ID.Name).At("properties.osType")
	}
	old, openErr := have.open(c.s.opt.Box, have.key)
	creds, err := keepPasswords(c.creds, old, openErr)
	if err != nil {
		return err
	}
	next := *have
	next.Group = c.group
	if err := c.claim(tx, &next, have); err != nil {
		return err
	}
	same := openErr == nil && reflect.DeepEqual(c.s.wishOf(have, old), c.s.wishOf(&next, creds))
	if !same {
		next.Sealed = c.seal(have.key, creds)
	}
	if same && have.state != ludgate.ProvisioningFailed {
		c.row = have
		if text(next.document) == text(have.document) {
			return nil
		}
		next.Modified = c.who
		c.row = &next
		return next.update(tx)
	}
	before := ""
	if have.state == ludgate.ProvisioningPending {
		before = have.operation
	}
	next.generation++
	next.state, next.fault, next.operation = ludgate.ProvisioningPending, nil, c.operation
	next.Modified, next.Since = c.who, c.who.At
	if err := next.update(tx); err != nil {
		return err
	}
	if err := begin(tx, &next, kindPut, c.operation, before, c.who.At); err != nil {
		return err
	}
	tx.Notify(topic)
	c.row, c.moved = &next, true
	return nil
}

// seal encrypts the passwords of credentials, in their order.
func (c *change) seal(key string, creds []ImageRegistryCredential) []string {
	var out []string
	for i := range creds {
		out = append(out, c.s.opt.Box.Seal(creds[i].Password.Reveal(), sealContext(key, &creds[i])))
	}
	return out
}

// keepPasswords fills in passwords that a request leaves out, as it must when it
// sends back what it got: they are never given back.
func keepPasswords(creds, old []ImageRegistryCredential, openErr error) ([]ImageRegistryCredential, error) {
	creds = slices.Clone(creds)
	for i := range creds {
		c := &creds[i]
		if c.Password != "" {
			continue
		}
		if openErr != nil {
			return nil, openErr
		}
		for _, o := range old {
			if o.Server == c.Server && o.Username == c.Username {
				c.Password = secret.Text(o.Password.Reveal())
			}
		}
	}
	return creds, nil
}

// claim takes the names and the address that g asks for and gives up those that
// have had and g does not.
func (c *change) claim(tx store.Tx, g, have *row) error {
	g.DNS = nameFor(g.Group, g.ID, c.tenant, c.fresh, have.DNS)
	if g.DNS.Key != "" {
		err := store.Claim(tx, store.SpaceDNSLabel, g.DNS.Region, g.DNS.Key, g.key)
		if errors.Is(err, store.ErrTaken) {
			return ludgate.Errorf(ludgate.Conflict, "DnsNameLabelNotAvailable",
				"The DNS name label '%s' in container group '%s' not available. Try using a different label.", g.DNS.Label, g.ID.Name).At("properties.ipAddress.dnsNameLabel")
		}
		if err != nil {
			return err
		}
	}
	if g.DNS != have.DNS {
		if err := have.releaseName(tx); err != nil {
			return err
		}
	}
	if err := c.claimAddress(tx, g, have); err != nil {
		return err
	}
	if g.address != have.address {
		return have.releaseAddress(tx)
	}
	return nil
}

// maxTries is how many addresses are tried for one group.
const maxTries = 4096

// claimAddress keeps the address of have if it is still of the right kind, or
// takes a free one.
func (c *change) claimAddress(tx store.Tx, g, have *row) error {
	want := g.Group.Properties.IPAddress
	if want == nil {
		g.address = netip.Addr{}
		return nil
	}
	set := c.s.opt.Addresses
	if want.Type == Private {
		set = Loopback()
	}
	if have.address.IsValid() && set.Contains(have.address) {
		g.address = have.address
		return nil
	}
	tries := 0
	for a := range candidates(set, c.ipWish, g.ID.fold().path("")) {
		if tries++; tries > maxTries {
			break
		}
		err := store.Claim(tx, store.SpacePublicAddress, "", a.String(), g.key)
		if err == nil {
			g.address = a
			return nil
		}
		if !errors.Is(err, store.ErrTaken) {
			return err
		}
	}
	return ludgate.Errorf(ludgate.Conflict, "PublicIPAddressNotAvailable",
		"No address is free for container group '%s': all %d addresses of this server that were tried are in use. Delete a group that has one, or configure more addresses.", g.ID.Name, tries).At("properties.ipAddress").After(time.Minute)
}

// releaseName gives the public name up.
func (g *row) releaseName(tx store.Tx) error {
	if g.DNS.Key == "" {
		return nil
	}
	return store.Release(tx, store.SpaceDNSLabel, g.DNS.Region, g.DNS.Key, g.key)
}

// releaseAddress gives the address up.
func (g *row) releaseAddress(tx store.Tx) error {
	if !g.address.IsValid() {
		return nil
	}
	return store.Release(tx, store.SpacePublicAddress, "", g.address.String(), g.key)
}
