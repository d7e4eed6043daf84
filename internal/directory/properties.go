package directory

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// shown says which replies carry a property.
type shown uint8

const (
	always   shown = iota // every reply
	single                // reads of one group: neutral all of them, strict when selected
	declared              // every reply of the neutral naming; unknown to the strict one
	never                 // may be selected, and is not returned
)

// column is a property of a group on the wire.
type column struct {
	name  string
	shown shown
	write func([]byte, *Group) []byte // appends the value
}

// properties are the properties of a group, in the order of replies.
var properties = []column{
	{"id", always, text(func(g *Group) string { return g.ID })},
	{"deletedDateTime", always, nothing},
	{"classification", always, optional(func(g *Group) *string { return g.Classification })},
	{"createdDateTime", always, text(func(g *Group) string { return g.CreatedDateTime })},
	{"description", always, optional(func(g *Group) *string { return g.Description })},
	{"displayName", always, text(func(g *Group) string { return g.DisplayName })},
	{"expirationDateTime", always, nothing}, // no expiry policy
	{"groupTypes", always, list(func(g *Group) []string { return g.GroupTypes })},
	{"isAssignableToRole", always, func(b []byte, g *Group) []byte {
		if g.IsAssignableToRole == nil {
			return nothing(b, g)
		}
		return strconv.AppendBool(b, *g.IsAssignableToRole)
	}},
	{"mail", always, text(func(g *Group) string { return g.Mail })},
	{"mailEnabled", always, truth(func(g *Group) bool { return g.MailEnabled })},
	{"mailNickname", always, text(func(g *Group) string { return g.MailNickname })},
	{"membershipRule", always, nothing}, // no dynamic groups
	{"membershipRuleProcessingState", always, text(func(g *Group) string { return g.MembershipRuleProcessingState })},
	{"onPremisesDomainName", always, nothing},
	{"onPremisesLastSyncDateTime", always, nothing},
	{"onPremisesNetBiosName", always, nothing},
	{"onPremisesSamAccountName", always, nothing},
	{"onPremisesSecurityIdentifier", always, nothing},
	{"onPremisesSyncEnabled", always, nothing},
	{"preferredDataLocation", always, text(func(g *Group) string { return g.PreferredDataLocation })},
	{"preferredLanguage", always, text(func(g *Group) string { return g.PreferredLanguage })},
	{"proxyAddresses", always, func(b []byte, g *Group) []byte {
		if g.Mail == "" {
			return append(b, `[]`...)
		}
		return append(quote(append(b, '['), "SMTP:"+g.Mail), ']')
	}},
	{"renewedDateTime", always, text(func(g *Group) string { return g.RenewedDateTime })},
	{"securityEnabled", always, truth(func(g *Group) bool { return g.SecurityEnabled })},
	{"securityIdentifier", always, func(b []byte, g *Group) []byte {
		return append(appendSecurityIdentifier(append(b, '"'), g.ID), '"')
	}},
	{"theme", always, text(func(g *Group) string { return g.Theme })},
	{"uniqueName", always, text(func(g *Group) string { return g.UniqueName })},
	{"visibility", always, text(func(g *Group) string { return g.Visibility })},
	{"onPremisesProvisioningErrors", always, emptyList},
	{"serviceProvisioningErrors", always, emptyList},
	{"apiVersion", declared, constant(`"v1.0"`)},
	{"type", declared, constant(`"Vendor.Graph/groups"`)},

	{"allowExternalSenders", single, truth(func(g *Group) bool { return g.AllowExternalSenders })},
	{"autoSubscribeNewMembers", single, truth(func(g *Group) bool { return g.AutoSubscribeNewMembers })},
	{"hideFromAddressLists", single, truth(func(g *Group) bool { return g.HideFromAddressLists })},
	{"hideFromOutlookClients", single, truth(func(g *Group) bool { return g.HideFromOutlookClients })},
	{"isSubscribedByMail", single, truth(func(g *Group) bool { return g.IsSubscribedByMail })},
	{"unseenCount", single, func(b []byte, g *Group) []byte { return strconv.AppendInt(b, int64(g.UnseenCount), 10) }},
	{"assignedLabels", single, func(b []byte, g *Group) []byte {
		b = append(b, '[')
		for i, l := range g.AssignedLabels {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(append(b, `{"labelId":`...), l.LabelID), `,"displayName":null}`...)
		}
		return append(b, ']')
	}},
	{"assignedLicenses", single, func(b []byte, g *Group) []byte {
		b = append(b, '[')
		for i, l := range g.AssignedLicenses {
			if i > 0 {
				b = append(b, ',')
			}
			b = quote(append(b, `{"skuId":`...), l.SkuID)
			b = append(appendList(append(b, `,"disabledPlans":`...), l.DisabledPlans), '}')
		}
		return append(b, ']')
	}},
	{"licenseProcessingState", single, nothing},
	{"isArchived", single, nothing}, // no group has a team
	{"isManagementRestricted", single, nothing},
	{"hasMembersWithLicenseErrors", never, nothing},
}

// selection is a set of columns, by index into [properties].
type selection uint64

// Selections that a reply has without $select: what creations and updates
// return, and what the read of one group does.
var (
	strictEntity  = choose(always)
	neutralEntity = choose(always, declared)
	neutralSingle = choose(always, declared, single)
)

func choose(which ...shown) selection {
	var s selection
	for i, c := range properties {
		for _, w := range which {
			if c.shown == w {
				s |= 1 << i
			}
		}
	}
	return s
}

// entity is the selection of the reply to a creation or an update.
func entity(strict bool) selection {
	if strict {
		return strictEntity
	}
	return neutralEntity
}

// parseSelect reads the value of $select: names of properties, separated by
// commas, or * for those of every reply. It also gives the names in their
// spelling here, for the context.
func parseSelect(value string, strict bool) (selection, string, error) {
	var s selection
	var names []string
	for _, name := range strings.Split(value, ",") {
		name = strings.TrimSpace(name)
		if name == "*" {
			s |= entity(strict)
			names = append(names, name)
			continue
		}
		i := columnOf(name)
		if i < 0 || strict && properties[i].shown == declared {
			return 0, "", unknownProperty(name)
		}
		if bit := selection(1) << i; s&bit == 0 || properties[i].shown == never {
			names = append(names, properties[i].name)
			if properties[i].shown != never {
				s |= bit
			}
		}
	}
	return s, strings.Join(names, ","), nil
}

// columnOf finds a property by its name, without regard to case, or gives -1.
func columnOf(name string) int {
	for i, c := range properties {
		if strings.EqualFold(c.name, name) {
			return i
		}
	}
	return -1
}

// render writes a reply: the context, then the selected properties.
func render(g *Group, context string, s selection) []byte {
	b := make([]byte, 0, 1536)
	b = quote(append(b, `{"@odata.context":`...), context)
	for i := range properties {
		if s&(1<<i) == 0 {
			continue
		}
		c := &properties[i]
		b = append(append(append(b, `,"`...), c.name...), `":`...)
		b = c.write(b, g)
	}
	return append(b, '}')
}

// quote appends a JSON string. What the store keeps is UTF-8, so it cannot fail.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// text is a string, null when empty.
func text(get func(*Group) string) func([]byte, *Group) []byte {
	return func(b []byte, g *Group) []byte {
		s := get(g)
		if s == "" {
			return nothing(b, g)
		}
		return quote(b, s)
	}
}

// optional is a string that may be empty, or null.
func optional(get func(*Group) *string) func([]byte, *Group) []byte {
	return func(b []byte, g *Group) []byte {
		s := get(g)
		if s == nil {
			return nothing(b, g)
		}
		return quote(b, *s)
	}
}

func truth(get func(*Group) bool) func([]byte, *Group) []byte {
	return func(b []byte, g *Group) []byte { return strconv.AppendBool(b, get(g)) }
}

func list(get func(*Group) []string) func([]byte, *Group) []byte {
	return func(b []byte, g *Group) []byte { return appendList(b, get(g)) }
}

func constant(json string) func([]byte, *Group) []byte {
	return func(b []byte, _ *Group) []byte { return append(b, json...) }
}

var (
	nothing   = constant(`null`)
	emptyList = constant(`[]`)
)

func appendList(b []byte, items []string) []byte {
	b = append(b, '[')
	for i, s := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = quote(b, s)
	}
	return append(b, ']')
}

// appendSecurityIdentifier appends the security identifier of an object
// (D-2.Group.securityIdentifier): S-1-12-1 and the id's 16 bytes, in the order
// in which a GUID lies in memory, as four little-endian numbers.
func appendSecurityIdentifier(b []byte, id string) []byte {
	var text [32]byte
	n := 0
	for i := 0; i < len(id) && n < len(text); i++ {
		if id[i] != '-' {
			text[n] = id[i]
			n++
		}
	}
	var raw [16]byte
	_, _ = hex.Decode(raw[:], text[:]) // ids are GUIDs
	b = append(b, "S-1-12-1-"...)
	for i, v := range [4]uint32{
		binary.BigEndian.Uint32(raw[0:]),
		uint32(binary.BigEndian.Uint16(raw[4:])) | uint32(binary.BigEndian.Uint16(raw[6:]))<<16,
		binary.LittleEndian.Uint32(raw[8:]),
		binary.LittleEndian.Uint32(raw[12:]),
	} {
		if i > 0 {
			b = append(b, '-')
		}
		b = strconv.AppendUint(b, uint64(v), 10)
	}
	return b
}
