package player

import (
	"ludgate/internal/player/call"
	"ludgate/internal/player/experiment"
	"ludgate/internal/secret"
)

// The records of the wire, in the contract's words (P-2). Members that are
// absent here are unknown and ignored on the way in; the contract's deprecated
// LoginTitlePlayerAccountEntity and Origination of requests are among them.

// RegisterPlatformUserRequest registers a player.
type RegisterPlatformUserRequest struct {
	TitleId                     string                              `json:"TitleId"`
	CustomTags                  map[string]string                   `json:"CustomTags"`
	DisplayName                 *string                             `json:"DisplayName"`
	Email                       string                              `json:"Email"`
	EncryptedRequest            secret.Text                         `json:"EncryptedRequest"`
	InfoRequestParameters       *GetPlayerCombinedInfoRequestParams `json:"InfoRequestParameters"` // without effect
	Password                    secret.Text                         `json:"Password"`
	PlayerSecret                secret.Text                         `json:"PlayerSecret"`
	RequireBothUsernameAndEmail *bool                               `json:"RequireBothUsernameAndEmail"` // nil is true
	Username                    string                              `json:"Username"`
}

// RegisterPlatformUserResult is the answer to it.
type RegisterPlatformUserResult struct {
	SessionTicket   string              `json:"SessionTicket"`
	PlatformId      string              `json:"PlatformId"`
	Username        string              `json:"Username,omitzero"`
	SettingsForUser UserSettings        `json:"SettingsForUser"`
	EntityToken     EntityTokenResponse `json:"EntityToken"`
}

// LoginResult is the answer to a sign-in, its members in the order that clients
// are used to.
type LoginResult struct {
	SessionTicket       string                              `json:"SessionTicket"`
	PlatformId          string                              `json:"PlatformId"`
	NewlyCreated        bool                                `json:"NewlyCreated"`
	SettingsForUser     UserSettings                        `json:"SettingsForUser"`
	LastLoginTime       string                              `json:"LastLoginTime"`
	InfoResultPayload   *GetPlayerCombinedInfoResultPayload `json:"InfoResultPayload,omitzero"`
	EntityToken         EntityTokenResponse                 `json:"EntityToken"`
	TreatmentAssignment TreatmentAssignment                 `json:"TreatmentAssignment"`
}

// UserSettings say what a client should gather. All are false: a client that
// sees true reports to calls that Ludgate does not have.
type UserSettings struct {
	NeedsAttribution bool `json:"NeedsAttribution"`
	GatherDeviceInfo bool `json:"GatherDeviceInfo"`
	GatherFocusInfo  bool `json:"GatherFocusInfo"`
}

// EntityKey names an entity.
type EntityKey = call.EntityKey

// EntityTokenResponse is an entity token and what it stands for.
type EntityTokenResponse struct {
	EntityToken     string    `json:"EntityToken"`
	TokenExpiration string    `json:"TokenExpiration"`
	Entity          EntityKey `json:"Entity"`
}

// TreatmentAssignment is what a player gets of the title's experiments.
type TreatmentAssignment = experiment.TreatmentAssignment

// GetEntityTokenRequest asks for an entity token.
type GetEntityTokenRequest struct {
	CustomTags map[string]string `json:"CustomTags"`
	Entity     *EntityKey        `json:"Entity"` // nil is the caller's own entity
}

// GetEntityTokenResponse is the answer to it: the members of an
// EntityTokenResponse.
type GetEntityTokenResponse = EntityTokenResponse
