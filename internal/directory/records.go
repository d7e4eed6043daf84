package directory

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Group is a group as the store keeps it (D-2.Group). A nil pointer, and an
// empty string where the rules allow none, is null on the wire. Properties that
// follow from these, or are always null, are in [properties] only.
type Group struct {
	ID                            string            `json:"id"`
	UniqueName                    string            `json:"uniqueName,omitzero"`
	DisplayName                   string            `json:"displayName"`
	Description                   *string           `json:"description,omitzero"`
	MailEnabled                   bool              `json:"mailEnabled,omitzero"`
	SecurityEnabled               bool              `json:"securityEnabled,omitzero"`
	MailNickname                  string            `json:"mailNickname"`
	Mail                          string            `json:"mail,omitzero"`
	GroupTypes                    []string          `json:"groupTypes,omitempty"`
	MembershipRuleProcessingState string            `json:"membershipRuleProcessingState,omitzero"`
	Visibility                    string            `json:"visibility"`
	IsAssignableToRole            *bool             `json:"isAssignableToRole,omitzero"` // nil and false differ in replies only
	Classification                *string           `json:"classification,omitzero"`
	Theme                         string            `json:"theme,omitzero"`
	PreferredLanguage             string            `json:"preferredLanguage,omitzero"`
	PreferredDataLocation         string            `json:"preferredDataLocation,omitzero"`
	CreatedDateTime               string            `json:"createdDateTime"`
	RenewedDateTime               string            `json:"renewedDateTime"`
	AssignedLabels                []AssignedLabel   `json:"assignedLabels,omitempty"`
	AssignedLicenses              []AssignedLicense `json:"assignedLicenses,omitempty"`

	// The properties of the single read.
	AllowExternalSenders    bool  `json:"allowExternalSenders,omitzero"`
	AutoSubscribeNewMembers bool  `json:"autoSubscribeNewMembers,omitzero"`
	HideFromAddressLists    bool  `json:"hideFromAddressLists,omitzero"`
	HideFromOutlookClients  bool  `json:"hideFromOutlookClients,omitzero"`
	IsSubscribedByMail      bool  `json:"isSubscribedByMail"`
	UnseenCount             int32 `json:"unseenCount,omitzero"`
}

// AssignedLabel is a sensitivity label. Its displayName is read-only and null:
// this directory has no catalogue of labels.
type AssignedLabel struct {
	LabelID string `json:"labelId"`
}

// AssignedLicense is a license for the members, less some of its plans.
type AssignedLicense struct {
	SkuID         string   `json:"skuId"`
	DisabledPlans []string `json:"disabledPlans"`
}

// Values of groupTypes.
const (
	typeUnified = "Unified"
	typeDynamic = "DynamicMembership"
)

// Values of visibility. Hidden is no value of a group, but another word for
// Private in the contract's rule of role-assignable groups.
const (
	visibilityPrivate          = "Private"
	visibilityPublic           = "Public"
	visibilityHiddenMembership = "HiddenMembership"
	visibilityHidden           = "Hidden"
)

func (g *Group) unified() bool { return slices.Contains(g.GroupTypes, typeUnified) }

func (g *Group) assignableToRole() bool { return g.IsAssignableToRole != nil && *g.IsAssignableToRole }

// presence is whether a request names a property, and with null or a value.
type presence uint8

const (
	absent presence = iota
	null
	given
)

// property is a property of a request, with absent and null told apart.
type property[T any] struct {
	presence
	value T
}

// UnmarshalJSONFrom reads the value of a property that the request names.
func (p *property[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() == 'n' {
		p.presence = null
		return dec.SkipValue()
	}
	p.presence = given
	return json.UnmarshalDecode(dec, &p.value)
}

// is reports whether the request gives the property that value.
func is[T comparable](p property[T], v T) bool { return p.presence == given && p.value == v }

// anything is a property of which only the presence matters.
type anything struct{ presence }

// UnmarshalJSONFrom notes the presence of a property that the request names.
func (a *anything) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	a.presence = given
	if dec.PeekKind() == 'n' {
		a.presence = null
	}
	return dec.SkipValue()
}

// collection is a list of which only matters whether it has items: an empty one
// says as little as null.
type collection struct{ presence }

// UnmarshalJSONFrom notes a list that has items, and everything that is no list.
func (c *collection) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	c.presence = given
	if v.Kind() == 'n' || v.Kind() == '[' && empty(v) {
		c.presence = null
	}
	return nil
}

// empty reports whether nothing but blanks is between the brackets of a value.
func empty(v jsontext.Value) bool {
	for _, c := range v[1 : len(v)-1] {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// Input is what a request says about a group.
type Input struct {
	UniqueName                    property[string]         `json:"uniqueName"`
	DisplayName                   property[string]         `json:"displayName"`
	Description                   property[string]         `json:"description"`
	MailEnabled                   property[bool]           `json:"mailEnabled"`
	SecurityEnabled               property[bool]           `json:"securityEnabled"`
	MailNickname                  property[string]         `json:"mailNickname"`
	GroupTypes                    property[[]string]       `json:"groupTypes"`
	MembershipRule                property[string]         `json:"membershipRule"`
	MembershipRuleProcessingState property[string]         `json:"membershipRuleProcessingState"`
	Visibility                    property[string]         `json:"visibility"`
	IsAssignableToRole            property[bool]           `json:"isAssignableToRole"`
	Classification                property[string]         `json:"classification"`
	Theme                         property[string]         `json:"theme"`
	PreferredLanguage             property[string]         `json:"preferredLanguage"`
	PreferredDataLocation         property[string]         `json:"preferredDataLocation"`
	AssignedLabels                property[[]labelInput]   `json:"assignedLabels"`
	AssignedLicenses              property[[]licenseInput] `json:"assignedLicenses"`

	AllowExternalSenders    property[bool]  `json:"allowExternalSenders"`
	AutoSubscribeNewMembers property[bool]  `json:"autoSubscribeNewMembers"`
	HideFromAddressLists    property[bool]  `json:"hideFromAddressLists"`
	HideFromOutlookClients  property[bool]  `json:"hideFromOutlookClients"`
	IsSubscribedByMail      property[bool]  `json:"isSubscribedByMail"`
	UnseenCount             property[int32] `json:"unseenCount"`

	// Named to be refused when they ask for something: see readOnly and
	// unsupported in rules.go.
	IsArchived                   property[bool] `json:"isArchived"`
	IsManagementRestricted       property[bool] `json:"isManagementRestricted"`
	ID                           anything       `json:"id"`
	APIVersion                   anything       `json:"apiVersion"`
	Type                         anything       `json:"type"`
	Mail                         anything       `json:"mail"`
	ProxyAddresses               anything       `json:"proxyAddresses"`
	SecurityIdentifier           anything       `json:"securityIdentifier"`
	CreatedDateTime              anything       `json:"createdDateTime"`
	DeletedDateTime              anything       `json:"deletedDateTime"`
	ExpirationDateTime           anything       `json:"expirationDateTime"`
	RenewedDateTime              anything       `json:"renewedDateTime"`
	HasMembersWithLicenseErrors  anything       `json:"hasMembersWithLicenseErrors"`
	LicenseProcessingState       anything       `json:"licenseProcessingState"`
	OnPremisesDomainName         anything       `json:"onPremisesDomainName"`
	OnPremisesLastSyncDateTime   anything       `json:"onPremisesLastSyncDateTime"`
	OnPremisesNetBiosName        anything       `json:"onPremisesNetBiosName"`
	OnPremisesSamAccountName     anything       `json:"onPremisesSamAccountName"`
	OnPremisesSecurityIdentifier anything       `json:"onPremisesSecurityIdentifier"`
	OnPremisesSyncEnabled        anything       `json:"onPremisesSyncEnabled"`
	OnPremisesProvisioningErrors collection     `json:"onPremisesProvisioningErrors"`
	ServiceProvisioningErrors    collection     `json:"serviceProvisioningErrors"`
	Members                      collection     `json:"members"`
	Owners                       collection     `json:"owners"`
	MembersBind                  collection     `json:"members@odata.bind"`
	OwnersBind                   collection     `json:"owners@odata.bind"`
}

// labelInput is an AssignedLabel of a request.
type labelInput struct {
	LabelID     property[string] `json:"labelId"`
	DisplayName anything         `json:"displayName"`
}

// licenseInput is an AssignedLicense of a request.
type licenseInput struct {
	SkuID         property[string]   `json:"skuId"`
	DisabledPlans property[[]string] `json:"disabledPlans"`
}
