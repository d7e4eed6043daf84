package economy

// VirtualCurrencyData is a kind of currency.
type VirtualCurrencyData struct {
	CurrencyCode   string `json:"CurrencyCode"`
	DisplayName    string `json:"DisplayName,omitzero"`
	InitialDeposit int32  `json:"InitialDeposit"` // of every player who is created from now on
	RechargeMax    int32  `json:"RechargeMax"`    // where time stops adding; 0: it adds nothing
	RechargeRate   int32  `json:"RechargeRate"`   // units a day; 0: time adds nothing
}

// VirtualCurrenciesRequest adds, changes or removes currencies.
type VirtualCurrenciesRequest struct {
	VirtualCurrencies []VirtualCurrencyData `json:"VirtualCurrencies" required:"true"`
}

// NoRequest has no members.
type NoRequest struct{}

// CatalogItem is something that can be had. Members from Container on are known
// in the field and refused here when they ask for something, see catalog_rules.go.
type CatalogItem struct {
	ItemId                string            `json:"ItemId"`
	ItemClass             string            `json:"ItemClass,omitzero"`
	CatalogVersion        string            `json:"CatalogVersion,omitzero"`
	DisplayName           string            `json:"DisplayName,omitzero"`
	Description           string            `json:"Description,omitzero"`
	VirtualCurrencyPrices map[string]uint32 `json:"VirtualCurrencyPrices,omitzero"` // RM: real money, in cents
	RealCurrencyPrices    map[string]uint32 `json:"RealCurrencyPrices,omitzero"`
	Tags                  []string          `json:"Tags,omitzero"`
	CustomData            string            `json:"CustomData,omitzero"`
	Consumable            *ConsumableInfo   `json:"Consumable,omitzero"`
	Bundle                *BundleInfo       `json:"Bundle,omitzero"`
	CanBecomeCharacter    bool              `json:"CanBecomeCharacter"`
	IsStackable           bool              `json:"IsStackable"`
	ItemImageUrl          string            `json:"ItemImageUrl,omitzero"`

	Container                  *ContainerInfo `json:"Container,omitzero"`
	IsTradable                 bool           `json:"IsTradable"`
	IsLimitedEdition           bool           `json:"IsLimitedEdition"`
	InitialLimitedEditionCount int32          `json:"InitialLimitedEditionCount"`
	ActivatedMembership        string         `json:"ActivatedMembership,omitzero"`
}

// ConsumableInfo says how an item is used up: by uses, by time, or both.
type ConsumableInfo struct {
	UsageCount  *uint32 `json:"UsageCount,omitzero"`
	UsagePeriod *uint32 `json:"UsagePeriod,omitzero"` // seconds
	// UsagePeriodGroup: items of an inventory with one group add their periods
	// up and expire together.
	UsagePeriodGroup string `json:"UsagePeriodGroup,omitzero"`
}

// BundleInfo is what comes with an item.
type BundleInfo struct {
	BundledItems             []string          `json:"BundledItems,omitzero"`
	BundledResultTables      []string          `json:"BundledResultTables,omitzero"` // refused
	BundledVirtualCurrencies map[string]uint32 `json:"BundledVirtualCurrencies,omitzero"`
}

// ContainerInfo is an item that is opened with another one; refused.
type ContainerInfo struct {
	KeyItemId               string            `json:"KeyItemId,omitzero"`
	ItemContents            []string          `json:"ItemContents,omitzero"`
	ResultTableContents     []string          `json:"ResultTableContents,omitzero"`
	VirtualCurrencyContents map[string]uint32 `json:"VirtualCurrencyContents,omitzero"`
}

// UpdateCatalogRequest sets or updates a catalog. CatalogVersion "" is the
// title's default one.
type UpdateCatalogRequest struct {
	Catalog             []CatalogItem `json:"Catalog"`
	CatalogVersion      string        `json:"CatalogVersion"`
	SetAsDefaultCatalog *bool         `json:"SetAsDefaultCatalog"` // nil is true
}

// GetCatalogRequest asks for a catalog; "" is the title's default one.
type GetCatalogRequest struct {
	CatalogVersion string `json:"CatalogVersion"`
}

// PaymentRequest pays a client's own balance in or out.
type PaymentRequest struct {
	VirtualCurrency string `json:"VirtualCurrency" required:"true"`
	Amount          int32  `json:"Amount"`
}

// UserPaymentRequest pays a player's balance in or out.
type UserPaymentRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	PaymentRequest
}

// CharacterPaymentRequest pays a character's balance in or out.
type CharacterPaymentRequest struct {
	PlatformId  string `json:"PlatformId" required:"true"`
	CharacterId string `json:"CharacterId" required:"true"`
	PaymentRequest
}

// PlayerRequest asks for something of a player.
type PlayerRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// OptionalPlayerRequest asks for something of a player, the caller when it names
// none.
type OptionalPlayerRequest struct {
	PlatformId string `json:"PlatformId"`
}

// CharacterInventoryRequest asks a client's own character's inventory, only the
// items of CatalogVersion when that is given.
type CharacterInventoryRequest struct {
	CharacterId    string `json:"CharacterId" required:"true"`
	CatalogVersion string `json:"CatalogVersion"`
}

// UserCharacterInventoryRequest asks a player's character's inventory.
type UserCharacterInventoryRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	CharacterInventoryRequest
}

// GrantItemsToUserRequest gives items to a player.
type GrantItemsToUserRequest struct {
	PlatformId     string   `json:"PlatformId" required:"true"`
	ItemIds        []string `json:"ItemIds" required:"true"`
	CatalogVersion string   `json:"CatalogVersion"`
	Annotation     string   `json:"Annotation"`
}

// GrantItemsToCharacterRequest gives items to a character.
type GrantItemsToCharacterRequest struct {
	PlatformId     string   `json:"PlatformId" required:"true"`
	CharacterId    string   `json:"CharacterId" required:"true"`
	ItemIds        []string `json:"ItemIds" required:"true"`
	CatalogVersion string   `json:"CatalogVersion"`
	Annotation     string   `json:"Annotation"`
}

// GrantItemsToUsersRequest gives items to several players or characters.
type GrantItemsToUsersRequest struct {
	CatalogVersion string      `json:"CatalogVersion"`
	ItemGrants     []ItemGrant `json:"ItemGrants" required:"true"`
}

// ItemGrant is one item for one player or character, with custom data.
type ItemGrant struct {
	PlatformId   string             `json:"PlatformId"`
	CharacterId  string             `json:"CharacterId"`
	ItemId       string             `json:"ItemId"`
	Annotation   string             `json:"Annotation"`
	Data         map[string]*string `json:"Data"` // null removes
	KeysToRemove []string           `json:"KeysToRemove"`
}

// PurchaseItemRequest buys an item for a client, or one of its characters.
type PurchaseItemRequest struct {
	ItemId          string `json:"ItemId" required:"true"`
	VirtualCurrency string `json:"VirtualCurrency" required:"true"`
	Price           int32  `json:"Price"` // what the client believes it is
	CatalogVersion  string `json:"CatalogVersion"`
	CharacterId     string `json:"CharacterId"`
	StoreId         string `json:"StoreId"` // there are no stores: StoreNotFound
}

// ConsumeItemRequest takes uses off an item of a client, or of its character.
type ConsumeItemRequest struct {
	ItemInstanceId string `json:"ItemInstanceId" required:"true"`
	ConsumeCount   int32  `json:"ConsumeCount"`
	CharacterId    string `json:"CharacterId"`
}

// UserConsumeItemRequest takes uses off an item of a player.
type UserConsumeItemRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
	ConsumeItemRequest
}

// ModifyItemUsesRequest adds uses to an item, or takes some when it is negative.
type ModifyItemUsesRequest struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	ItemInstanceId string `json:"ItemInstanceId" required:"true"`
	UsesToAdd      int32  `json:"UsesToAdd"`
}

// RevokeInventoryItem names an item that is taken away.
type RevokeInventoryItem struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	CharacterId    string `json:"CharacterId,omitzero"`
	ItemInstanceId string `json:"ItemInstanceId" required:"true"`
}

// RevokeInventoryItemsRequest takes several items away.
type RevokeInventoryItemsRequest struct {
	Items []RevokeInventoryItem `json:"Items" required:"true"`
}

// UpdateItemCustomDataRequest writes and removes custom data of an item.
type UpdateItemCustomDataRequest struct {
	PlatformId     string             `json:"PlatformId" required:"true"`
	CharacterId    string             `json:"CharacterId"`
	ItemInstanceId string             `json:"ItemInstanceId" required:"true"`
	Data           map[string]*string `json:"Data"` // null removes
	KeysToRemove   []string           `json:"KeysToRemove"`
}

// GrantCharacterRequest makes a client a character of an item that it has.
type GrantCharacterRequest struct {
	CharacterName  string `json:"CharacterName" required:"true"`
	ItemId         string `json:"ItemId" required:"true"`
	CatalogVersion string `json:"CatalogVersion"`
}

// UserGrantCharacterRequest makes a player a character.
type UserGrantCharacterRequest struct {
	PlatformId    string `json:"PlatformId" required:"true"`
	CharacterName string `json:"CharacterName" required:"true"`
	CharacterType string `json:"CharacterType" required:"true"`
}

// DeleteCharacterRequest removes a character; SaveCharacterInventory gives its
// items to the player.
type DeleteCharacterRequest struct {
	PlatformId             string `json:"PlatformId" required:"true"`
	CharacterId            string `json:"CharacterId" required:"true"`
	SaveCharacterInventory bool   `json:"SaveCharacterInventory"`
}

// MoveItemRequest moves an item between a player and a character.
type MoveItemRequest struct {
	PlatformId     string `json:"PlatformId" required:"true"`
	CharacterId    string `json:"CharacterId" required:"true"`
	ItemInstanceId string `json:"ItemInstanceId" required:"true"`
}

// MoveItemBetweenCharactersRequest moves an item from one character to another
// of the same player.
type MoveItemBetweenCharactersRequest struct {
	PlatformId           string `json:"PlatformId" required:"true"`
	GivingCharacterId    string `json:"GivingCharacterId" required:"true"`
	ReceivingCharacterId string `json:"ReceivingCharacterId" required:"true"`
	ItemInstanceId       string `json:"ItemInstanceId" required:"true"`
}
