package economy

// ItemInstance is one item of an inventory (P-2.ItemInstance). Members that are
// absent when empty do not apply to the item.
type ItemInstance struct {
	ItemId         string   `json:"ItemId"`
	ItemInstanceId string   `json:"ItemInstanceId"`
	ItemClass      string   `json:"ItemClass,omitzero"`
	PurchaseDate   string   `json:"PurchaseDate,omitzero"`
	Expiration     string   `json:"Expiration,omitzero"`
	RemainingUses  *int32   `json:"RemainingUses,omitzero"`
	Annotation     string   `json:"Annotation,omitzero"`
	CatalogVersion string   `json:"CatalogVersion,omitzero"`
	BundleParent   string   `json:"BundleParent,omitzero"`   // item id of the bundle it came in
	BundleContents []string `json:"BundleContents,omitzero"` // item ids that came with it
	DisplayName    string   `json:"DisplayName,omitzero"`    // of the catalog at the time of the grant
	UnitCurrency   string   `json:"UnitCurrency,omitzero"`   // of a purchased item, as UnitPrice
	UnitPrice      *uint32  `json:"UnitPrice,omitzero"`
	// UsesIncrementedBy is by how much a grant or a purchase raised
	// RemainingUses; it is in no other answer.
	UsesIncrementedBy *int32            `json:"UsesIncrementedBy,omitzero"`
	CustomData        map[string]string `json:"CustomData,omitzero"`
}

// VirtualCurrencyRechargeTime tells when time brings the next unit of a currency
// (P-2.VirtualCurrencyRechargeTime). At or above RechargeMax none is to come:
// then SecondsToRecharge is 0 and RechargeTime is now.
type VirtualCurrencyRechargeTime struct {
	RechargeMax       int32  `json:"RechargeMax"`
	RechargeTime      string `json:"RechargeTime"`
	SecondsToRecharge int32  `json:"SecondsToRecharge"`
}

// CharacterResult is a character of a player (P-2.CharacterResult).
type CharacterResult struct {
	CharacterId   string `json:"CharacterId"`
	CharacterName string `json:"CharacterName"`
	CharacterType string `json:"CharacterType"`
}

// CharacterInventory is what a character has (P-2.CharacterInventory).
type CharacterInventory struct {
	CharacterId string         `json:"CharacterId"`
	Inventory   []ItemInstance `json:"Inventory"`
}

// GrantedItemInstance is an item of a grant and who has it now.
type GrantedItemInstance struct {
	PlatformId  string `json:"PlatformId"`
	CharacterId string `json:"CharacterId,omitzero"`
	Result      bool   `json:"Result"`
	ItemInstance
}

// GrantItemsResult is the answer to a grant. A bundle is followed by what came
// with it.
type GrantItemsResult struct {
	ItemGrantResults []GrantedItemInstance `json:"ItemGrantResults"`
}

// PurchaseItemResult is the answer to a purchase.
type PurchaseItemResult struct {
	Items []ItemInstance `json:"Items"`
}

// InventoryResult is the answer to a look at an inventory. PlatformId is absent
// in answers to clients, CharacterId in those about a player's own inventory.
type InventoryResult struct {
	PlatformId                   string                                 `json:"PlatformId,omitzero"`
	CharacterId                  string                                 `json:"CharacterId,omitzero"`
	Inventory                    []ItemInstance                         `json:"Inventory"`
	VirtualCurrency              map[string]int32                       `json:"VirtualCurrency"`
	VirtualCurrencyRechargeTimes map[string]VirtualCurrencyRechargeTime `json:"VirtualCurrencyRechargeTimes"`
}

// ItemUsesResult is the answer to ConsumeItem and ModifyItemUses.
type ItemUsesResult struct {
	ItemInstanceId string `json:"ItemInstanceId"`
	RemainingUses  int32  `json:"RemainingUses"`
}

// ModifyUserVirtualCurrencyResult is the answer to a payment. BalanceChange is
// what really changed, negative when it was paid out.
type ModifyUserVirtualCurrencyResult struct {
	PlatformId      string `json:"PlatformId"`
	VirtualCurrency string `json:"VirtualCurrency"`
	BalanceChange   int32  `json:"BalanceChange"`
	Balance         int32  `json:"Balance"`
}

// ModifyCharacterVirtualCurrencyResult is the answer to a payment of a character.
type ModifyCharacterVirtualCurrencyResult struct {
	VirtualCurrency string `json:"VirtualCurrency"`
	Balance         int32  `json:"Balance"`
}

// RevokeInventoryItemsResult is the answer to several revocations at once; Errors
// has those that did not happen.
type RevokeInventoryItemsResult struct {
	Errors []RevokeItemError `json:"Errors"`
}

// RevokeItemError is one revocation that did not happen.
type RevokeItemError struct {
	Error GenericErrorCodes   `json:"Error"`
	Item  RevokeInventoryItem `json:"Item"`
}

// GenericErrorCodes is the name of an error of the player surface.
type GenericErrorCodes string

// CharactersResult lists a player's characters.
type CharactersResult struct {
	PlatformId string            `json:"PlatformId,omitzero"` // absent in answers to clients
	Characters []CharacterResult `json:"Characters"`
}

// GrantCharacterResult is the answer to a character for a player. A server hears
// CharacterId only.
type GrantCharacterResult struct {
	CharacterId   string `json:"CharacterId"`
	CharacterType string `json:"CharacterType,omitzero"`
	Result        bool   `json:"Result,omitzero"`
}

// CurrenciesResult lists the virtual currencies of a title.
type CurrenciesResult struct {
	VirtualCurrencies []VirtualCurrencyData `json:"VirtualCurrencies"`
}

// CatalogResult lists the items of a catalog.
type CatalogResult struct {
	Catalog []CatalogItem `json:"Catalog"`
}
