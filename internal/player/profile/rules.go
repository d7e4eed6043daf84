package profile

import (
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
)

// What a caller can make us keep, for each player and at most.
const (
	maxTags          = 100
	maxContacts      = 5
	maxLocations     = 10 // older ones make room
	maxMemberships   = 20
	maxSubscriptions = 20 // of a membership
	maxCampaigns     = 100
	maxDevices       = 20   // older ones make room
	maxBans          = 1000 // past ones included
	maxBansPerCall   = 100
)

// Lengths in code points.
const (
	maxTag    = 256
	maxURL    = 2048
	maxID     = 100 // of memberships, subscriptions, campaigns, receipts and networks
	maxCity   = 100
	maxReason = 140
	maxDevice = 4096
)

// checkText notes a text that is too long or holds control characters.
func checkText(f *call.Faults, member, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		f.Add(member, "The field "+member+" must be a string with a maximum length of "+strconv.Itoa(most)+".")
	}
	if strings.IndexFunc(text, unicode.IsControl) >= 0 {
		f.Add(member, "The field "+member+" must not contain control characters.")
	}
}

// checkTime reads a time of the wire and gives milliseconds since 1970. What is
// empty is otherwise.
func checkTime(f *call.Faults, member, text string, otherwise int64) int64 {
	if text == "" {
		return otherwise
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		f.Add(member, "The field "+member+" must be a date and time like 2026-01-02T03:04:05Z.")
		return otherwise
	}
	ms := t.UnixMilli()
	if ms <= 0 || ms > account.Forever {
		f.Add(member, "The field "+member+" must be a time after 1970.")
	}
	return ms
}

// checkAddress reads a network address and gives it in its one spelling; "" is
// none.
func checkAddress(f *call.Faults, member, text string) string {
	if text == "" {
		return ""
	}
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		f.Add(member, "The field "+member+" must be an IPv4 or IPv6 address.")
		return ""
	}
	return addressKey(a)
}

// addressKey is how an address is stored and compared; "" for none.
func addressKey(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return plainAddress(a).String()
}

// plainAddress is an address without what does not tell addresses apart.
func plainAddress(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }
