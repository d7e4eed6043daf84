package directory

import "slices"

// create gives the group that a request makes, without what the service adds
// (id, times, address).
func (in *Input) create(strict bool) (*Group, error) {
	if err := in.readOnly(strict); err != nil {
		return nil, err
	}
	if err := in.required(strict); err != nil {
		return nil, err
	}
	if err := in.check(nil, strict); err != nil {
		return nil, err
	}
	g := &Group{IsSubscribedByMail: true}
	in.apply(g)
	if in.IsAssignableToRole.presence == given {
		v := in.IsAssignableToRole.value
		g.IsAssignableToRole = &v
	}
	if in.UniqueName.presence == given {
		g.UniqueName = in.UniqueName.value
	}
	if err := in.settle(nil, g, strict); err != nil {
		return nil, err
	}
	return g, nil
}

// update gives what a request makes of a group. The group itself is not touched.
func (in *Input) update(old *Group, strict bool) (*Group, error) {
	if err := in.readOnly(strict); err != nil {
		return nil, err
	}
	if err := in.check(old, strict); err != nil {
		return nil, err
	}
	if err := in.immutable(old); err != nil {
		return nil, err
	}
	g := *old
	in.apply(&g)
	if in.UniqueName.presence == given && g.UniqueName == "" {
		g.UniqueName = in.UniqueName.value
	}
	if err := in.settle(old, &g, strict); err != nil {
		return nil, err
	}
	return &g, nil
}

// readOnly refuses properties that are the directory's own. Null says nothing,
// except where the contract or the public directory will not have even that.
func (in *Input) readOnly(strict bool) error {
	for _, p := range [...]struct {
		name string
		presence
	}{
		{"id", in.ID.presence},
		{"mail", in.Mail.presence},
		{"proxyAddresses", in.ProxyAddresses.presence},
		{"securityIdentifier", in.SecurityIdentifier.presence},
		{"createdDateTime", in.CreatedDateTime.presence},
		{"deletedDateTime", in.DeletedDateTime.presence},
		{"expirationDateTime", in.ExpirationDateTime.presence},
		{"renewedDateTime", in.RenewedDateTime.presence},
		{"hasMembersWithLicenseErrors", in.HasMembersWithLicenseErrors.presence},
		{"licenseProcessingState", in.LicenseProcessingState.presence},
		{"onPremisesDomainName", in.OnPremisesDomainName.presence},
		{"onPremisesLastSyncDateTime", in.OnPremisesLastSyncDateTime.presence},
		{"onPremisesNetBiosName", in.OnPremisesNetBiosName.presence},
		{"onPremisesSamAccountName", in.OnPremisesSamAccountName.presence},
		{"onPremisesSecurityIdentifier", in.OnPremisesSecurityIdentifier.presence},
		// Nothing synchronizes into this directory and nothing provisions from
		// it, so these have nobody to say them either.
		{"onPremisesSyncEnabled", in.OnPremisesSyncEnabled.presence},
		{"onPremisesProvisioningErrors", in.OnPremisesProvisioningErrors.presence},
		{"serviceProvisioningErrors", in.ServiceProvisioningErrors.presence},
	} {
		if p.presence == given {
			return readOnly(p.name)
		}
	}
	switch {
	case in.ProxyAddresses.presence == null: // not nullable
		return readOnly("proxyAddresses")
	case is(in.IsArchived, true), strict && in.IsArchived.presence == given:
		return readOnly("isArchived")
	case is(in.IsManagementRestricted, true), strict && in.IsManagementRestricted.presence != absent:
		return readOnly("isManagementRestricted")
	case !strict && in.APIVersion.presence == given: // unknown to the public directory
		return readOnly("apiVersion")
	case !strict && in.Type.presence == given:
		return readOnly("type")
	}
	for i, l := range in.AssignedLabels.value {
		if l.DisplayName.presence == given {
			return readOnly(indexed("assignedLabels", i, "displayName"))
		}
	}
	return nil
}

// required refuses a creation without the properties that a group must have.
// The public directory can do without uniqueName.
func (in *Input) required(strict bool) error {
	for _, p := range [...]struct {
		name string
		presence
	}{
		{"displayName", in.DisplayName.presence},
		{"mailEnabled", in.MailEnabled.presence},
		{"mailNickname", in.MailNickname.presence},
		{"securityEnabled", in.SecurityEnabled.presence},
		{"uniqueName", in.UniqueName.presence},
	} {
		if p.presence != given && !(strict && p.name == "uniqueName") {
			return required(p.name)
		}
	}
	return nil
}

// immutable refuses to change what a group keeps for life. Saying again what is
// so is no change, because a declaration is applied many times.
func (in *Input) immutable(old *Group) error {
	wanted := in.UniqueName.value
	if in.UniqueName.presence != absent && canonicalUniqueName(wanted) != canonicalUniqueName(old.UniqueName) {
		switch {
		case old.assignableToRole():
			return refuse(roleUniqueName)
		case old.UniqueName != "":
			return readOnly("uniqueName")
		}
	}
	if in.IsAssignableToRole.presence != absent && is(in.IsAssignableToRole, true) != old.assignableToRole() {
		return refuse(roleImmutable)
	}
	if in.GroupTypes.presence != absent && slices.Contains(in.GroupTypes.value, typeUnified) != old.unified() {
		return invalid("groupTypes", "A group stays what it was created as: Unified can be neither added nor removed.")
	}
	return nil
}

// apply copies what the request says into g, as far as one property has nothing
// to do with another. Null gives a property its default.
func (in *Input) apply(g *Group) {
	set(&g.DisplayName, in.DisplayName)
	set(&g.MailEnabled, in.MailEnabled)
	set(&g.SecurityEnabled, in.SecurityEnabled)
	set(&g.MailNickname, in.MailNickname)
	setPointer(&g.Description, in.Description)
	setPointer(&g.Classification, in.Classification)
	set(&g.GroupTypes, in.GroupTypes)
	set(&g.MembershipRuleProcessingState, in.MembershipRuleProcessingState)
	set(&g.Theme, in.Theme)
	set(&g.PreferredLanguage, in.PreferredLanguage)
	set(&g.PreferredDataLocation, in.PreferredDataLocation)
	set(&g.AllowExternalSenders, in.AllowExternalSenders)
	set(&g.AutoSubscribeNewMembers, in.AutoSubscribeNewMembers)
	set(&g.HideFromAddressLists, in.HideFromAddressLists)
	set(&g.HideFromOutlookClients, in.HideFromOutlookClients)
	set(&g.UnseenCount, in.UnseenCount)
	set(&g.IsSubscribedByMail, in.IsSubscribedByMail)
	if in.IsSubscribedByMail.presence == null {
		g.IsSubscribedByMail = true
	}
	if in.AssignedLabels.presence != absent {
		g.AssignedLabels = nil
		for _, l := range in.AssignedLabels.value {
			g.AssignedLabels = append(g.AssignedLabels, AssignedLabel{l.LabelID.value})
		}
	}
	if in.AssignedLicenses.presence != absent {
		g.AssignedLicenses = nil
		for _, l := range in.AssignedLicenses.value {
			plans := l.DisabledPlans.value
			if plans == nil {
				plans = []string{}
			}
			g.AssignedLicenses = append(g.AssignedLicenses, AssignedLicense{l.SkuID.value, plans})
		}
	}
}

// set takes over a property that the request names; null is the zero value.
func set[T any](to *T, p property[T]) {
	if p.presence != absent {
		*to = p.value
	}
}

// setPointer is set where an empty value and null differ.
func setPointer[T any](to **T, p property[T]) {
	switch p.presence {
	case given:
		v := p.value
		*to = &v
	case null:
		*to = nil
	}
}

// settle applies the rules between properties to the group that would result,
// and gives it its visibility. old is nil at creation.
func (in *Input) settle(old, g *Group, strict bool) error {
	isDynamic := slices.Contains(g.GroupTypes, typeDynamic)
	hasRule := in.MembershipRule.presence == given && in.MembershipRule.value != ""
	if err := in.settleVisibility(old, g); err != nil {
		return err
	}
	if g.assignableToRole() { // D-2.Group.isAssignableToRole
		switch {
		case g.unified() && !g.MailEnabled:
			return refuse(roleGroupType)
		case !g.SecurityEnabled:
			return invalid("securityEnabled", "A group that is assignable to roles is security-enabled.")
		case isDynamic:
			return invalid("groupTypes", "A group that is assignable to roles has assigned members.")
		}
	}
	switch {
	case strict && g.MailEnabled && !g.unified():
		return refuse(noMailEnabledWrite)
	case isDynamic && !hasRule:
		return refuse(ruleRequired)
	case hasRule && !isDynamic:
		return invalid("membershipRule", "A membership rule needs DynamicMembership in groupTypes.")
	case isDynamic:
		return notSupported("groupTypes", "Groups with dynamic membership are not kept by this server: leave DynamicMembership and membershipRule out.")
	}
	return nil
}

// settleVisibility gives g its visibility (D-2.Group.visibility). The words
// themselves have been checked.
func (in *Input) settleVisibility(old, g *Group) error {
	wanted := canonicalVisibility(in.Visibility.value)
	switch {
	case g.assignableToRole():
		if wanted != "" && wanted != visibilityPrivate && wanted != visibilityHidden {
			return refuse(roleVisibility)
		}
		wanted = visibilityPrivate
	case in.Visibility.presence == absent && old != nil:
		wanted = old.Visibility
	case wanted == "" && g.unified():
		wanted = visibilityPublic
	case wanted == "":
		wanted = visibilityPrivate
	}
	if wanted == visibilityHiddenMembership {
		switch {
		case g.SecurityEnabled:
			return refuse(hiddenSecurity)
		case !g.unified(), old != nil && old.Visibility != wanted:
			return refuse(hiddenAtCreation)
		}
	}
	g.Visibility = wanted
	return nil
}
