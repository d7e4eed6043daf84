package economy

import (
	"testing"

	"ludgate/internal/wire"
)

// TestVendorWords: clients of the other naming hear its words in records, and
// their own words in what is theirs.
func TestVendorWords(t *testing.T) {
	f := newFixtureOn(t, wire.Vendor)
	shop(f)
	p := f.player("ABCDE")
	knight := p.server("Server/GrantCharacterToUser", obj{"CharacterName": "Bob", "CharacterType": "PlatformId"}).ok()["CharacterId"].(string)
	out := f.admin("ABCDE", "Server/GrantItemsToUsers", obj{"ItemGrants": list{
		obj{"PlayFabId": p.ID, "ItemId": "sword", "CharacterId": knight, "Data": obj{"PlatformId": "PlatformId", "PlayFabId": "x"}}}})
	id := out.ok()["ItemGrantResults"].([]any)[0].(map[string]any)["ItemInstanceId"]
	out.is(`{"code":200,"status":"OK","data":{"ItemGrantResults":[{"PlayFabId":"%s","CharacterId":"%s","Result":true,"ItemId":"sword","ItemInstanceId":"%s",
		"ItemClass":"weapon","DisplayName":"Sword","CatalogVersion":"1","PurchaseDate":"2026-03-04T05:06:07Z","CustomData":{"PlatformId":"PlatformId","PlayFabId":"x"}}]}}`, p.ID, knight, id)
	p.server("Server/GetAllUsersCharacters", nil).is(`{"code":200,"status":"OK","data":{"PlayFabId":"%s","Characters":[
		{"CharacterId":"%s","CharacterName":"Bob","CharacterType":"PlatformId"}]}}`, p.ID, knight)
	f.admin("ABCDE", "Admin/RevokeInventoryItems", obj{"Items": list{obj{"PlayFabId": "nobody", "ItemInstanceId": "x"}}}).
		is(`{"code":200,"status":"OK","data":{"Errors":[{"Error":"AccountNotFound","Item":{"PlayFabId":"nobody","ItemInstanceId":"x"}}]}}`)
	_, details := f.admin("ABCDE", "Server/GetUserInventory", obj{"PlatformId": p.ID}).Refused("InvalidParams", 1000)
	if _, ok := details["PlayFabId"]; !ok {
		t.Errorf("%v", details)
	}
}

// TestPlayersOfOtherTitles: a ticket or a key of one title opens nothing of
// another, whatever the names.
func TestPlayersOfOtherTitles(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p, stranger := f.player("ABCDE"), f.player("FFFFF")
	knight, sword := p.character("Bob"), p.grant("sword")[0]
	for path, body := range map[string]obj{
		"Server/GetUserInventory":                  {},
		"Admin/GetUserInventory":                   {},
		"Server/GetAllUsersCharacters":             {},
		"Server/GetCharacterInventory":             {"CharacterId": knight},
		"Server/ConsumeItem":                       {"ItemInstanceId": sword, "ConsumeCount": 1},
		"Server/ModifyItemUses":                    {"ItemInstanceId": sword, "UsesToAdd": 1},
		"Server/RevokeInventoryItem":               {"ItemInstanceId": sword},
		"Server/UpdateUserInventoryItemCustomData": {"ItemInstanceId": sword, "Data": obj{"a": "b"}},
		"Server/GrantCharacterToUser":              {"CharacterName": "a", "CharacterType": "b"},
		"Server/DeleteCharacterFromUser":           {"CharacterId": knight},
		"Server/AddUserVirtualCurrency":            {"VirtualCurrency": "GC", "Amount": 1},
		"Server/AddCharacterVirtualCurrency":       {"CharacterId": knight, "VirtualCurrency": "GC", "Amount": 1},
		"Server/MoveItemToCharacterFromUser":       {"CharacterId": knight, "ItemInstanceId": sword},
		"Server/MoveItemToUserFromCharacter":       {"CharacterId": knight, "ItemInstanceId": sword},
		"Server/MoveItemToCharacterFromCharacter":  {"GivingCharacterId": knight, "ReceivingCharacterId": knight, "ItemInstanceId": sword},
	} {
		body["PlatformId"] = p.ID
		f.admin("FFFFF", path, body).fails("AccountNotFound", 1001)
		f.post("/"+path, body, p.ticket).fails("NotAuthorized", 1089)
	}
	stranger.call("GetCharacterInventory", obj{"CharacterId": knight}).fails("CharacterNotFound", 1135)
	stranger.call("ConsumeItem", obj{"ItemInstanceId": sword, "ConsumeCount": 1}).fails("ItemNotFound", 1047)
	stranger.call("PurchaseItem", obj{"ItemId": "sword", "VirtualCurrency": "GC", "Price": 6}).fails("CatalogNotConfigured", 1218)
	for _, path := range []string{"GetUserInventory", "PurchaseItem", "ConsumeItem", "GetAllUsersCharacters", "GetCharacterInventory", "GrantCharacterToUser"} {
		f.post("/Client/"+path, obj{}, f.secrets["ABCDE"]).fails("NotAuthenticated", 1074)
	}
	if p.inventory() != "sword" || p.balance("GC") != 10 {
		t.Errorf("%s, %d", p.inventory(), p.balance("GC"))
	}
}
