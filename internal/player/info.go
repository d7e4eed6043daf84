package player

import (
	"ludgate/internal/player/account"
	"ludgate/internal/player/data"
	"ludgate/internal/player/economy"
	"ludgate/internal/player/profile"
)

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
type PlayerProfileViewConstraints = profile.PlayerProfileViewConstraints

// PlayerProfileModel is an account as others may see it.
type PlayerProfileModel = profile.PlayerProfileModel

// GetPlayerCombinedInfoResultPayload is what was asked for. AccountInfo, the
// inventories and the data versions come always; a list or map that was not
// asked for is nil and absent.
type GetPlayerCombinedInfoResultPayload struct {
	AccountInfo                      UserAccountInfo                                `json:"AccountInfo"`
	CharacterInventories             []economy.CharacterInventory                   `json:"CharacterInventories"`
	CharacterList                    []economy.CharacterResult                      `json:"CharacterList,omitzero"`
	PlayerProfile                    *PlayerProfileModel                            `json:"PlayerProfile,omitzero"`
	PlayerStatistics                 []data.StatisticValue                          `json:"PlayerStatistics,omitzero"`
	TitleData                        map[string]string                              `json:"TitleData,omitzero"`
	UserData                         map[string]data.UserDataRecord                 `json:"UserData,omitzero"`
	UserDataVersion                  uint32                                         `json:"UserDataVersion"`
	UserInventory                    []economy.ItemInstance                         `json:"UserInventory"`
	UserReadOnlyData                 map[string]data.UserDataRecord                 `json:"UserReadOnlyData,omitzero"`
	UserReadOnlyDataVersion          uint32                                         `json:"UserReadOnlyDataVersion"`
	UserVirtualCurrency              map[string]int32                               `json:"UserVirtualCurrency,omitzero"`
	UserVirtualCurrencyRechargeTimes map[string]economy.VirtualCurrencyRechargeTime `json:"UserVirtualCurrencyRechargeTimes,omitzero"`
}

// UserAccountInfo is an account as its owner sees it; others see it without
// PrivateInfo. A record of a linked identity is there when one is linked.
type UserAccountInfo struct {
	PlatformId         string                  `json:"PlatformId"`
	Created            string                  `json:"Created"`
	Username           string                  `json:"Username,omitzero"`
	TitleInfo          UserTitleInfo           `json:"TitleInfo"`
	PrivateInfo        *UserPrivateAccountInfo `json:"PrivateInfo,omitzero"`
	CustomIdInfo       *UserCustomIdInfo       `json:"CustomIdInfo,omitzero"`
	ServerCustomIdInfo *UserServerCustomIdInfo `json:"ServerCustomIdInfo,omitzero"`
	OpenIdInfo         []UserOpenIdInfo        `json:"OpenIdInfo,omitzero"`
	StreamingInfo      *UserStreamingInfo      `json:"StreamingInfo,omitzero"`
}

// UserPrivateAccountInfo is what only the owner sees.
type UserPrivateAccountInfo struct {
	Email string `json:"Email,omitzero"`
}

// UserTitleInfo is the account within its title.
type UserTitleInfo struct {
	AvatarUrl          string          `json:"AvatarUrl,omitzero"`
	DisplayName        string          `json:"DisplayName,omitzero"`
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

// UserCustomIdInfo is an id that the game chose.
type UserCustomIdInfo struct {
	CustomId string `json:"CustomId"`
}

// UserServerCustomIdInfo is an id that the game's server chose.
type UserServerCustomIdInfo struct {
	CustomId string `json:"CustomId"`
}

// UserOpenIdInfo is an identity of an OpenID Connect provider.
type UserOpenIdInfo struct {
	ConnectionId string `json:"ConnectionId"`
	Issuer       string `json:"Issuer"`
	Subject      string `json:"Subject"`
}

// UserOrigination is how a player first came.
type UserOrigination = account.UserOrigination
