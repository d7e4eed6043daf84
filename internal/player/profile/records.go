package profile

// PlayerProfileModel is a player as others may see it. A part that was not asked
// for is absent; a list that was asked for and has nothing in it is empty.
type PlayerProfileModel struct {
	PublisherId                   string                              `json:"PublisherId"`
	TitleId                       string                              `json:"TitleId"`
	PlayerId                      string                              `json:"PlayerId"`
	Created                       string                              `json:"Created,omitzero"`
	Origination                   LoginIdentityProvider               `json:"Origination,omitzero"`
	LastLogin                     string                              `json:"LastLogin,omitzero"`
	BannedUntil                   string                              `json:"BannedUntil,omitzero"` // only while a ban is in force
	DisplayName                   string                              `json:"DisplayName,omitzero"`
	AvatarUrl                     string                              `json:"AvatarUrl,omitzero"`
	AdCampaignAttributions        []AdCampaignAttributionModel        `json:"AdCampaignAttributions,omitzero"`
	PushNotificationRegistrations []PushNotificationRegistrationModel `json:"PushNotificationRegistrations,omitzero"`
	LinkedAccounts                []LinkedPlatformAccountModel        `json:"LinkedAccounts,omitzero"`
	ContactEmailAddresses         []ContactEmailInfoModel             `json:"ContactEmailAddresses,omitzero"`
	TotalValueToDateInUSD         *uint32                             `json:"TotalValueToDateInUSD,omitzero"` // US cents
	ValuesToDate                  []ValueToDateModel                  `json:"ValuesToDate,omitzero"`
	Tags                          []TagModel                          `json:"Tags,omitzero"`
	Locations                     []LocationModel                     `json:"Locations,omitzero"`
	Statistics                    []StatisticModel                    `json:"Statistics,omitzero"`
	ExperimentVariants            []string                            `json:"ExperimentVariants,omitzero"`
	Memberships                   []MembershipModel                   `json:"Memberships,omitzero"`
}

// PlayerProfileViewConstraints choose the parts of a profile.
type PlayerProfileViewConstraints struct {
	ShowAvatarUrl                     bool `json:"ShowAvatarUrl,omitzero"`
	ShowBannedUntil                   bool `json:"ShowBannedUntil,omitzero"`
	ShowCampaignAttributions          bool `json:"ShowCampaignAttributions,omitzero"`
	ShowContactEmailAddresses         bool `json:"ShowContactEmailAddresses,omitzero"`
	ShowCreated                       bool `json:"ShowCreated,omitzero"`
	ShowDisplayName                   bool `json:"ShowDisplayName,omitzero"`
	ShowExperimentVariants            bool `json:"ShowExperimentVariants,omitzero"`
	ShowLastLogin                     bool `json:"ShowLastLogin,omitzero"`
	ShowLinkedAccounts                bool `json:"ShowLinkedAccounts,omitzero"`
	ShowLocations                     bool `json:"ShowLocations,omitzero"`
	ShowMemberships                   bool `json:"ShowMemberships,omitzero"`
	ShowOrigination                   bool `json:"ShowOrigination,omitzero"`
	ShowPushNotificationRegistrations bool `json:"ShowPushNotificationRegistrations,omitzero"`
	ShowStatistics                    bool `json:"ShowStatistics,omitzero"`
	ShowTags                          bool `json:"ShowTags,omitzero"`
	ShowTotalValueToDateInUsd         bool `json:"ShowTotalValueToDateInUsd,omitzero"`
	ShowValuesToDate                  bool `json:"ShowValuesToDate,omitzero"`
}

// LoginIdentityProvider is where an identity comes from.
type LoginIdentityProvider string

// Providers of the identities that accounts here can have.
const (
	ProviderUnknown       LoginIdentityProvider = "Unknown"
	ProviderPlatform      LoginIdentityProvider = "Platform" // user name or e-mail address
	ProviderStreaming     LoginIdentityProvider = "StreamingPlatform"
	ProviderCustom        LoginIdentityProvider = "Custom"
	ProviderCustomServer  LoginIdentityProvider = "CustomServer"
	ProviderOpenIDConnect LoginIdentityProvider = "OpenIdConnect"
)

// LinkedPlatformAccountModel is one identity of a player.
type LinkedPlatformAccountModel struct {
	Platform       LoginIdentityProvider `json:"Platform"`
	PlatformUserId string                `json:"PlatformUserId,omitzero"`
	Username       string                `json:"Username,omitzero"`
	Email          string                `json:"Email,omitzero"`
}

// AdCampaignAttributionModel says which campaign brought a player, and when.
type AdCampaignAttributionModel struct {
	Platform     string `json:"Platform"` // the attribution network
	CampaignId   string `json:"CampaignId"`
	AttributedAt string `json:"AttributedAt"`
}

// EmailVerificationStatus says whether an address was shown to be the player's.
type EmailVerificationStatus string

// States of an address. They are stored, so they never change.
const (
	Unverified EmailVerificationStatus = "Unverified" // no mail is on its way
	Pending    EmailVerificationStatus = "Pending"    // a mail with a token was sent
	Confirmed  EmailVerificationStatus = "Confirmed"  // the token came back
)

// ContactEmailInfoModel is an address at which a player wants to be reached.
type ContactEmailInfoModel struct {
	Name               string                  `json:"Name"`
	EmailAddress       string                  `json:"EmailAddress"`
	VerificationStatus EmailVerificationStatus `json:"VerificationStatus"`
}

// ContinentCode is a continent, or Unknown.
type ContinentCode string

// CountryCode is a country of ISO 3166-1 in two letters, or Unknown.
type CountryCode string

// Unknown is the value of a code that is not known.
const Unknown = "Unknown"

// LocationModel is a place that a player signed in from. The coordinates are
// degrees, absent when they are not known.
type LocationModel struct {
	ContinentCode ContinentCode `json:"ContinentCode"`
	CountryCode   CountryCode   `json:"CountryCode"`
	City          string        `json:"City,omitzero"`
	Latitude      *float64      `json:"Latitude,omitzero"`
	Longitude     *float64      `json:"Longitude,omitzero"`
}

// MembershipModel is a membership with the subscriptions that pay for it. It is
// active until MembershipExpiration, or where an override is set, until that.
type MembershipModel struct {
	MembershipId         string              `json:"MembershipId"`
	IsActive             bool                `json:"IsActive"`
	MembershipExpiration string              `json:"MembershipExpiration"`
	OverrideIsSet        bool                `json:"OverrideIsSet"`
	OverrideExpiration   string              `json:"OverrideExpiration,omitzero"`
	Subscriptions        []SubscriptionModel `json:"Subscriptions"`
}

// SubscriptionProviderStatus is what a subscription's provider said last.
type SubscriptionProviderStatus string

// What providers say.
const (
	StatusNoError                         SubscriptionProviderStatus = "NoError"
	StatusCancelled                       SubscriptionProviderStatus = "Cancelled"
	StatusUnknownError                    SubscriptionProviderStatus = "UnknownError"
	StatusBillingError                    SubscriptionProviderStatus = "BillingError"
	StatusProductUnavailable              SubscriptionProviderStatus = "ProductUnavailable"
	StatusCustomerDidNotAcceptPriceChange SubscriptionProviderStatus = "CustomerDidNotAcceptPriceChange"
	StatusFreeTrial                       SubscriptionProviderStatus = "FreeTrial"
	StatusPaymentPending                  SubscriptionProviderStatus = "PaymentPending"
)

// SubscriptionModel is one subscription of a membership. It is active until
// Expiration, whatever its status.
type SubscriptionModel struct {
	SubscriptionId          string                     `json:"SubscriptionId"`
	SubscriptionItemId      string                     `json:"SubscriptionItemId,omitzero"`
	SubscriptionProvider    string                     `json:"SubscriptionProvider,omitzero"`
	InitialSubscriptionTime string                     `json:"InitialSubscriptionTime"`
	Expiration              string                     `json:"Expiration"`
	IsActive                bool                       `json:"IsActive"`
	Status                  SubscriptionProviderStatus `json:"Status"`
}

// PushNotificationPlatform is a mobile push service.
type PushNotificationPlatform string

// The push services.
const (
	ApplePush  PushNotificationPlatform = "ApplePushNotificationService"
	GooglePush PushNotificationPlatform = "GoogleCloudMessaging"
)

// PushNotificationRegistrationModel is a device that a player wants to be
// notified on.
type PushNotificationRegistrationModel struct {
	Platform                PushNotificationPlatform `json:"Platform"`
	NotificationEndpointARN string                   `json:"NotificationEndpointARN"`
}

// TagModel is one tag with its namespace.
type TagModel struct {
	TagValue string `json:"TagValue"`
}

// ValueToDateModel is what a player spent in one currency.
type ValueToDateModel struct {
	Currency            string `json:"Currency"`            // ISO 4217
	TotalValue          uint32 `json:"TotalValue"`          // hundredths of the currency's unit
	TotalValueAsDecimal string `json:"TotalValueAsDecimal"` // units, with two decimals
}

// StatisticModel is one statistic of a profile.
type StatisticModel struct {
	Name    string `json:"Name"`
	Value   int32  `json:"Value"`
	Version int32  `json:"Version"` // 0 when the statistic is not versioned
}
