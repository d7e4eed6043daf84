package directory

import "ludgate"

// The sentences that clients compare, and own ones where the public directory's
// are not known.

const badRequest = "Request_BadRequest"

func refuse(format string, args ...any) *ludgate.Error {
	return ludgate.Errorf(ludgate.Invalid, badRequest, format, args...)
}

// detail adds a detail with a code of its own.
func detail(e *ludgate.Error, target, code, message string) *ludgate.Error {
	e.Details = append(e.Details, &ludgate.Error{Kind: e.Kind, Code: code, Target: target, Message: message})
	return e
}

// required: a property is missing that a group cannot be made without.
func required(property string) error {
	return refuse("A value is required for property '%s' of resource 'Group'.", property)
}

// invalid: a property's value breaks its rule, which why explains.
func invalid(property, why string) error { return invalidAt(property, property, why) }

// invalidAt is invalid for a part of a property.
func invalidAt(property, target, why string) error {
	return detail(refuse("Invalid value specified for property '%s' of resource 'Group'.", property), target, "InvalidValue", why)
}

// readOnly: a property is the directory's own to set.
func readOnly(property string) error {
	return refuse("Property '%s' is read-only and cannot be set.", property)
}

// notSupported: a property is known and not carried out.
func notSupported(property, why string) error {
	return detail(refuse("Property '%s' is not supported by this server.", property), property, "NotSupported", why)
}

// conflict: another group has the value.
func conflict(property string) error {
	e := refuse("Another object with the same value for property %s already exists.", property)
	return detail(e, property, "ObjectConflict", e.Message)
}

// Rules between properties.
const (
	roleVisibility     = "Visibility can only be set to Private for groups assignable to role."
	roleGroupType      = "GroupType cannot be set for security groups assignable to roles."
	roleImmutable      = "Value for IsAssignableToRole cannot be updated for groups assignable to role."
	roleUniqueName     = "Value for ArmUniqueName cannot be updated for groups assignable to role."
	hiddenSecurity     = "Hidden membership groups cannot be marked as security enabled"
	hiddenAtCreation   = "HiddenMembership can only be set during group creation."
	noMailEnabledWrite = "The service does not currently support writes of mail-enabled groups. " +
		"Please ensure that the mail-enablement property is unset and the security-enablement property is set."
	ruleRequired = "A value is required for property 'membershipRule'."
	mailboxAlone = "The properties allowExternalSenders, autoSubscribeNewMembers, hideFromAddressLists, hideFromOutlookClients, " +
		"isSubscribedByMail and unseenCount must be updated in a request of their own."
)

// notFound: no group has the key, or it was deleted.
func notFound(k key) error {
	return ludgate.Errorf(ludgate.NotFound, "Request_ResourceNotFound",
		"Resource '%s' does not exist or one of its queried reference-property objects are not present.", k.text())
}

func invalidIdentifier(segment string) error {
	return refuse("Invalid object identifier '%s'.", clip(segment))
}

// unsupportedQuery: a query option that the call does not carry out.
func unsupportedQuery(option string) error {
	return ludgate.Errorf(ludgate.Invalid, "Request_UnsupportedQuery", "The query option '%s' is not supported on this call.", clip(option))
}

func unknownProperty(name string) error {
	return ludgate.Errorf(ludgate.Invalid, "Request_UnsupportedQuery", "Could not find a property named '%s' on type 'Group'.", clip(name))
}
