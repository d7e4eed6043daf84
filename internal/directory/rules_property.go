package directory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ludgate"
)

// Limits of what a group holds. displayName and mailNickname are the contract's
// (D-8.displayName, D-8.mailNickname); the others bound what a caller can make
// this server keep.
const (
	maxDisplayName    = 256
	maxMailNickname   = 64
	maxDescription    = 8192
	maxClassification = 256
	maxDataLocation   = 64
	maxLabels         = 32
	maxLabelID        = 256
	maxLicenses       = 256
	maxDisabledPlans  = 256
)

// Characters that a mailNickname must not hold, besides those above ASCII: the
// public directory's, and the union with the contract's for the neutral naming
// (D-2.Group.mailNickname).
const (
	nicknameStrict  = `@()\[]";:<>, `
	nicknameNeutral = nicknameStrict + `/'`
)

var (
	themes     = []string{"Teal", "Purple", "Green", "Blue", "Pink", "Orange", "Red"}
	ruleStates = []string{"On", "Paused"}
	language   = regexp.MustCompile(`^(?i:[a-z]{2}(-[a-z]{2})?)$`)
)

// canonicalVisibility gives the spelling of a value of visibility, which
// compares without regard to case, or "" for another word.
func canonicalVisibility(v string) string {
	for _, known := range []string{visibilityPrivate, visibilityPublic, visibilityHiddenMembership, visibilityHidden} {
		if strings.EqualFold(v, known) {
			return known
		}
	}
	return ""
}

// check applies the rules of each property by itself; old is nil at creation.
func (in *Input) check(old *Group, strict bool) error {
	for _, rule := range [...]func(*Input, *Group, bool) error{
		(*Input).checkNames, (*Input).checkWords, (*Input).checkLabels, (*Input).checkLicenses, (*Input).checkMailbox, (*Input).checkUnsupported,
	} {
		if err := rule(in, old, strict); err != nil {
			return err
		}
	}
	return nil
}

// checkNames holds the properties that must always have a value, and the names,
// to their rules. At creation required has been here before.
func (in *Input) checkNames(_ *Group, strict bool) error {
	for _, p := range [...]struct {
		name string
		presence
	}{
		{"displayName", in.DisplayName.presence},
		{"mailEnabled", in.MailEnabled.presence},
		{"mailNickname", in.MailNickname.presence},
		{"securityEnabled", in.SecurityEnabled.presence},
	} {
		if p.presence == null {
			return invalid(p.name, "The property cannot be cleared.")
		}
	}
	if p := in.DisplayName; p.presence == given && !length(p.value, 1, maxDisplayName) {
		return invalid("displayName", fmt.Sprintf("It must have 1 to %d characters.", maxDisplayName))
	}
	if p := in.MailNickname; p.presence == given {
		if why := nicknameFault(p.value, strict); why != "" {
			return invalid("mailNickname", why)
		}
	}
	if p := in.UniqueName; p.presence == given && !validUniqueName(p.value) {
		return invalid("uniqueName", fmt.Sprintf("It must have 1 to %d characters, not only blanks and no control characters.", maxUniqueName))
	}
	return nil
}

// nicknameFault says what is wrong with a mailNickname, or "".
func nicknameFault(s string, strict bool) string {
	if !length(s, 1, maxMailNickname) {
		return fmt.Sprintf("It must have 1 to %d characters.", maxMailNickname)
	}
	forbidden := nicknameNeutral
	if strict {
		forbidden = nicknameStrict
	}
	for _, r := range s {
		if r >= utf8.RuneSelf {
			return "It must hold ASCII characters only."
		}
		if strings.ContainsRune(forbidden, r) {
			return fmt.Sprintf("It must not hold any of %s and blank.", strings.TrimSuffix(forbidden, " "))
		}
	}
	return ""
}

// checkWords holds texts to their lengths and enumerations to their values.
func (in *Input) checkWords(old *Group, strict bool) error {
	if p := in.Description; p.presence == given && !length(p.value, 0, maxDescription) {
		return invalid("description", fmt.Sprintf("It must have at most %d characters.", maxDescription))
	}
	if p := in.Classification; p.presence == given && !length(p.value, 0, maxClassification) {
		return invalid("classification", fmt.Sprintf("It must have at most %d characters.", maxClassification))
	}
	for i, t := range in.GroupTypes.value {
		if t != typeUnified && t != typeDynamic || slices.Contains(in.GroupTypes.value[:i], t) {
			return invalid("groupTypes", "It holds Unified, DynamicMembership, both or neither, each once.")
		}
	}
	if p := in.MembershipRuleProcessingState; p.presence == given && !slices.Contains(ruleStates, p.value) {
		return invalid("membershipRuleProcessingState", "It must be On or Paused.")
	}
	if p := in.Visibility; p.presence == given {
		v := canonicalVisibility(p.value)
		forRoles := is(in.IsAssignableToRole, true) || old != nil && old.assignableToRole()
		if v == "" || v == visibilityHidden && (strict || !forRoles) {
			return invalid("visibility", "It must be Private, Public or HiddenMembership.")
		}
	}
	if p := in.Theme; p.presence == given && !slices.Contains(themes, p.value) {
		return invalid("theme", "It must be Teal, Purple, Green, Blue, Pink, Orange or Red.")
	}
	if p := in.PreferredLanguage; p.presence == given {
		if strict && old == nil {
			return invalid("preferredLanguage", "It should not be set at creation.")
		}
		if !language.MatchString(p.value) {
			return invalid("preferredLanguage", "It must be a language code such as en or en-US.")
		}
	}
	if p := in.PreferredDataLocation; p.presence == given && (!length(p.value, 1, maxDataLocation) || strings.ContainsFunc(p.value, unicode.IsControl)) {
		return invalid("preferredDataLocation", fmt.Sprintf("It must have 1 to %d characters and no control characters.", maxDataLocation))
	}
	return nil
}

func (in *Input) checkLabels(*Group, bool) error {
	if len(in.AssignedLabels.value) > maxLabels {
		return invalid("assignedLabels", fmt.Sprintf("It must hold at most %d labels.", maxLabels))
	}
	for i, l := range in.AssignedLabels.value {
		if l.LabelID.presence != given || !length(l.LabelID.value, 1, maxLabelID) {
			return invalidAt("assignedLabels", indexed("assignedLabels", i, "labelId"), fmt.Sprintf("It must have 1 to %d characters.", maxLabelID))
		}
	}
	return nil
}

// checkLicenses holds license and plan ids to the pattern of a GUID (D-8.licenseIds).
func (in *Input) checkLicenses(*Group, bool) error {
	const why = "It must be a GUID of 36 characters, 8-4-4-4-12 hexadecimal digits."
	if len(in.AssignedLicenses.value) > maxLicenses {
		return invalid("assignedLicenses", fmt.Sprintf("It must hold at most %d licenses.", maxLicenses))
	}
	for i, l := range in.AssignedLicenses.value {
		if l.SkuID.presence != given || !ludgate.IsGUID(l.SkuID.value) {
			return invalidAt("assignedLicenses", indexed("assignedLicenses", i, "skuId"), why)
		}
		if len(l.DisabledPlans.value) > maxDisabledPlans {
			return invalidAt("assignedLicenses", indexed("assignedLicenses", i, "disabledPlans"), fmt.Sprintf("It must hold at most %d plans.", maxDisabledPlans))
		}
		for j, plan := range l.DisabledPlans.value {
			if !ludgate.IsGUID(plan) {
				return invalidAt("assignedLicenses", fmt.Sprintf("assignedLicenses[%d].disabledPlans[%d]", i, j), why)
			}
		}
	}
	return nil
}

// mailbox are the properties of the single read that the request names, at least
// with null or with a value.
func (in *Input) mailbox(least presence) (named []string) {
	for _, p := range [...]struct {
		name string
		presence
	}{
		{"allowExternalSenders", in.AllowExternalSenders.presence},
		{"autoSubscribeNewMembers", in.AutoSubscribeNewMembers.presence},
		{"hideFromAddressLists", in.HideFromAddressLists.presence},
		{"hideFromOutlookClients", in.HideFromOutlookClients.presence},
		{"isSubscribedByMail", in.IsSubscribedByMail.presence},
		{"unseenCount", in.UnseenCount.presence},
	} {
		if p.presence >= least {
			named = append(named, p.name)
		}
	}
	return named
}

// checkMailbox says when the properties of the single read may be set. The
// contract excludes autoSubscribeNewMembers from creation, the public directory
// all of them, and it wants them alone in an update.
func (in *Input) checkMailbox(old *Group, strict bool) error {
	const why = "It can be set by an update, not at creation."
	if p := in.UnseenCount; p.presence == given && p.value < 0 {
		return invalid("unseenCount", "It must not be negative.")
	}
	if old == nil && in.AutoSubscribeNewMembers.presence == given {
		return invalid("autoSubscribeNewMembers", why)
	}
	switch {
	case !strict:
	case old != nil && len(in.mailbox(null)) > 0 && in.others():
		return refuse(mailboxAlone)
	case old == nil:
		if named := in.mailbox(given); len(named) > 0 {
			return invalid(named[0], why)
		}
	}
	return nil
}

// others reports whether the request names a property besides those of mailbox.
func (in *Input) others() bool {
	for _, p := range [...]presence{
		in.UniqueName.presence, in.DisplayName.presence, in.Description.presence, in.MailEnabled.presence, in.SecurityEnabled.presence,
		in.MailNickname.presence, in.GroupTypes.presence, in.MembershipRule.presence, in.MembershipRuleProcessingState.presence,
		in.Visibility.presence, in.IsAssignableToRole.presence, in.Classification.presence, in.Theme.presence,
		in.PreferredLanguage.presence, in.PreferredDataLocation.presence, in.AssignedLabels.presence, in.AssignedLicenses.presence,
	} {
		if p != absent {
			return true
		}
	}
	return false
}

// checkUnsupported refuses members and owners.
func (in *Input) checkUnsupported(*Group, bool) error {
	for _, p := range [...]struct {
		name string
		presence
	}{
		{"members@odata.bind", in.MembersBind.presence},
		{"owners@odata.bind", in.OwnersBind.presence},
		{"members", in.Members.presence},
		{"owners", in.Owners.presence},
	} {
		if p.presence == given {
			return notSupported(p.name, "Members and owners of groups are not kept by this server: leave them out.")
		}
	}
	return nil
}

// length reports whether s has lo to hi characters (Unicode code points).
func length(s string, lo, hi int) bool {
	n := utf8.RuneCountInString(s)
	return n >= lo && n <= hi
}

// indexed is the path of a member of a list's item.
func indexed(list string, i int, member string) string {
	return fmt.Sprintf("%s[%d].%s", list, i, member)
}
