package player

import "ludgate/internal/player/account"

// The records by which a sign-in asks for, and gets, what is known of a player.

// GetPlayerCombinedInfoRequestParams chooses what InfoResultPayload holds. The
// lists of names and keys narrow what their flag asks for.
type GetPlayerCombinedInfoRequestParams struct {
	GetCharacterInventories bool                          `json:"GetCharacterInventories"`
	GetCharacterList        bool                          `json:"GetCharacterList"`
	GetPlayerProfile        bool                          `json:"GetPlayerProfile"`
	GetPlayerStatistics     bool                          `json:"GetPlayerStatistics"`
	GetTitleData            bool                          `json:"GetTitleData"`
	GetUserAccountInfo      bool                          `json:"GetUserAccountInfo"`
	GetUserData             bool                          `json:"GetUserData"`
	GetUserInventory        bool                          `json:"GetUserInventory"`
	GetUserReadOnlyData     bool                          `json:"GetUserReadOnlyData"`
	GetUserVirtualCurrency  bool                          `json:"GetUserVirtualCurrency"`
	PlayerStatisticNames    []string                      `json:"PlayerStatisticNames"`
	ProfileConstraints      *PlayerProfileViewConstraints `json:"ProfileConstraints"`
	TitleDataKeys           []string                      `json:"TitleDataKeys"`
	UserDataKeys            []string                      `json:"UserDataKeys"`
	UserReadOnlyDataKeys    []string                      `json:"UserReadOnlyDataKeys"`
}

// PlayerProfileViewConstraints chooses the members of a profile.
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

// emptyList and emptyMap are the lists and maps of things that no call of this
// release can give a player or a title: items, characters, statistics, data and
// currency. Empty is what is true of every player.
type (
	emptyList []struct{}
	emptyMap  map[string]struct{}
)

// GetPlayerCombinedInfoResultPayload is what was asked for. AccountInfo, the
// inventories and the data versions come always; a list or map that was not
// asked for is nil and absent.
type GetPlayerCombinedInfoResultPayload struct {
	AccountInfo                      UserAccountInfo     `json:"AccountInfo"`
	CharacterInventories             emptyList           `json:"CharacterInventories"`
	CharacterList                    emptyList           `json:"CharacterList,omitzero"`
	PlayerProfile                    *PlayerProfileModel `json:"PlayerProfile,omitzero"`
	PlayerStatistics                 emptyList           `json:"PlayerStatistics,omitzero"`
	TitleData                        emptyMap            `json:"TitleData,omitzero"`
	UserData                         emptyMap            `json:"UserData,omitzero"`
	UserDataVersion                  uint32              `json:"UserDataVersion"`
	UserInventory                    emptyList           `json:"UserInventory"`
	UserReadOnlyData                 emptyMap            `json:"UserReadOnlyData,omitzero"`
	UserReadOnlyDataVersion          uint32              `json:"UserReadOnlyDataVersion"`
	UserVirtualCurrency              emptyMap            `json:"UserVirtualCurrency,omitzero"`
	UserVirtualCurrencyRechargeTimes emptyMap            `json:"UserVirtualCurrencyRechargeTimes,omitzero"`
}

// UserAccountInfo is an account as its owner sees it.
type UserAccountInfo struct {
	PlatformId         string                  `json:"PlatformId"`
	Created            string                  `json:"Created"`
	Username           string                  `json:"Username,omitzero"`
	TitleInfo          UserTitleInfo           `json:"TitleInfo"`
	PrivateInfo        *UserPrivateAccountInfo `json:"PrivateInfo,omitzero"`   // nil for others
	StreamingInfo      *UserStreamingInfo      `json:"StreamingInfo,omitzero"` // this and the following only when linked
	CustomIdInfo       *UserCustomIdInfo       `json:"CustomIdInfo,omitzero"`
	ServerCustomIdInfo *UserServerCustomIdInfo `json:"ServerCustomIdInfo,omitzero"`
	OpenIdInfo         []UserOpenIdInfo        `json:"OpenIdInfo,omitzero"`
}

// UserCustomIdInfo is the linked id that the game chose.
type UserCustomIdInfo struct {
	CustomId string `json:"CustomId"`
}

// UserServerCustomIdInfo is the linked id that the game's server chose.
type UserServerCustomIdInfo struct {
	CustomId string `json:"CustomId"`
}

// UserOpenIdInfo is a linked identity of an OpenID Connect provider.
type UserOpenIdInfo struct {
	ConnectionId string `json:"ConnectionId"`
	Issuer       string `json:"Issuer"`
	Subject      string `json:"Subject"`
}

// UserPrivateAccountInfo is what only the owner sees.
type UserPrivateAccountInfo struct {
	Email string `json:"Email,omitzero"`
}

// UserTitleInfo is the account within its title.
type UserTitleInfo struct {
	DisplayName        string          `json:"DisplayName,omitzero"`
	AvatarUrl          string          `json:"AvatarUrl,omitzero"`
	Origination        UserOrigination `json:"Origination"`
	Created            string          `json:"Created"`
	LastLogin          string          `json:"LastLogin"`
	FirstLogin         string          `json:"FirstLogin"`
	IsBanned           bool            `json:"isBanned"`
	TitlePlayerAccount EntityKey       `json:"TitlePlayerAccount"`
}

// UserStreamingInfo is the linked identity on the streaming platform.
type UserStreamingInfo struct {
	StreamingId       string `json:"StreamingId"`
	StreamingUserName string `json:"StreamingUserName,omitzero"`
}

// UserOrigination is how a player first came.
type UserOrigination = account.UserOrigination

// PlayerProfileModel is an account as others may see it.
type PlayerProfileModel struct {
	PublisherId string `json:"PublisherId"`
	TitleId     string `json:"TitleId"`
	PlayerId    string `json:"PlayerId"`
	DisplayName string `json:"DisplayName,omitzero"`
}
