package profile

import (
	"fmt"
	"math"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
)

// checker holds a dump against what calls could have stored. Its faults are
// named by the member of the dump that they are in.
type checker struct {
	call.Faults
	seen map[string]bool
}

// check refuses what no call could have stored.
func (d *Dump) check() error {
	c := &checker{seen: map[string]bool{}}
	c.most("tags", len(d.Tags), maxTags)
	for _, tag := range d.Tags {
		c.key("tags", tag, maxTag)
	}
	c.most("contacts", len(d.Contacts), maxContacts)
	for _, r := range d.Contacts {
		c.key("contacts", r.Name, maxID)
		c.AddAll("contacts", account.CheckEmail(r.Address))
		c.known("contacts", r.Status == Unverified || r.Status == Pending || r.Status == Confirmed)
	}
	c.most("locations", len(d.Locations), maxLocations)
	for _, r := range d.Locations {
		r.check(&c.Faults)
		c.once("locations", string(r.ContinentCode)+"/"+string(r.CountryCode)+"/"+r.City)
		c.time("locations", r.Seen)
	}
	c.most("memberships", len(d.Memberships), maxMemberships)
	for _, m := range d.Memberships {
		c.membership(m)
	}
	c.most("campaigns", len(d.Campaigns), maxCampaigns)
	for _, r := range d.Campaigns {
		c.name("campaigns", r.Platform, maxID)
		c.name("campaigns", r.Campaign, maxID)
		c.time("campaigns", r.Attributed)
		c.once("campaigns", fmt.Sprint(r.Attributed)+"/"+r.Platform+"\n"+r.Campaign)
	}
	c.most("push", len(d.Push), maxDevices)
	for _, r := range d.Push {
		c.known("push", r.Platform == ApplePush || r.Platform == GooglePush)
		c.name("push", r.Token, maxDevice)
		c.time("push", r.Added)
		c.once("push", string(r.Platform)+"/"+r.Token)
	}
	c.money(d)
	c.most("bans", len(d.Bans), maxBans)
	for _, b := range d.Bans {
		if b == nil {
			c.Required("bans")
			continue
		}
		c.key("bans", b.ID, maxID)
		c.time("bans", b.Created)
		c.time("bans", b.Expires)
		checkText(&c.Faults, "bans", b.Reason, maxReason)
		b.Address = checkAddress(&c.Faults, "bans", b.Address)
	}
	if m := d.Mails; m != nil {
		c.time("mails", m.Since)
		c.known("mails", m.N >= 0)
	}
	return c.Err()
}

func (c *checker) membership(m membershipRow) {
	c.key("memberships", m.ID, maxID)
	c.time("memberships", m.Expiration)
	if m.Override != nil {
		c.time("memberships", *m.Override)
	}
	c.most("subscriptions", len(m.Subscriptions), maxSubscriptions)
	for _, s := range m.Subscriptions {
		c.name("subscriptions", s.ID, maxID)
		c.once("subscriptions", m.ID+"\n"+s.ID)
		checkText(&c.Faults, "subscriptions", s.Item, maxID)
		checkText(&c.Faults, "subscriptions", s.Provider, maxID)
		c.time("subscriptions", s.Initial)
		c.time("subscriptions", s.Expiration)
		c.known("subscriptions", s.Status.Known())
	}
}

// money also holds the values to date within what the wire's numbers hold.
func (c *checker) money(d *Dump) {
	for _, r := range d.Purchases {
		c.key("purchases", r.Receipt, maxID)
		c.time("purchases", r.At)
		c.known("purchases", isCurrency(r.Currency) && isValue(r.Amount) && isValue(r.USD))
	}
	usd := int64(0)
	for _, r := range d.Values {
		c.key("values", r.Currency, 3)
		c.known("values", isCurrency(r.Currency) && isValue(r.Total) && isValue(r.USD))
		if isValue(r.USD) {
			usd = min(usd+r.USD, math.MaxUint32+1)
		}
	}
	c.known("values", isValue(usd))
}

func isValue(n int64) bool { return n >= 0 && n <= math.MaxUint32 }

func (c *checker) most(member string, n, most int) {
	if n > most {
		c.Add(member, fmt.Sprintf("There are at most %d.", most))
	}
}

// name is checkText for what must not be empty.
func (c *checker) name(member, text string, most int) {
	if text == "" {
		c.Required(member)
	}
	checkText(&c.Faults, member, text, most)
}

// key is a name that comes once.
func (c *checker) key(member, text string, most int) {
	c.name(member, text, most)
	c.once(member, text)
}

func (c *checker) once(member, key string) {
	if c.seen[member+"\n"+key] {
		c.Add(member, "An entry is there twice.")
	}
	c.seen[member+"\n"+key] = true
}

func (c *checker) time(member string, ms int64) {
	if ms <= 0 || ms > account.Forever {
		c.Add(member, "A time is not between 1970 and 9999.")
	}
}

func (c *checker) known(member string, ok bool) {
	if !ok {
		c.Add(member, "A value is none that the field can have.")
	}
}
