package economy

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestCharacters(t *testing.T) {
	f := newFixture(t)
	p, q := f.player("ABCDE"), f.player("ABCDE")
	p.call("GetAllUsersCharacters", obj{}).is(`{"Characters":[]}`)
	id := p.character("Bob")
	f.advance(time.Second)
	other := p.character("Bob") // names need not differ
	const want = `"Characters":[{"CharacterId":"%s","CharacterName":"Bob","CharacterType":"Knight"},{"CharacterId":"%s","CharacterName":"Bob","CharacterType":"Knight"}]`
	p.call("GetAllUsersCharacters", obj{}).is(`{`+want+`}`, id, other)
	q.call("GetAllUsersCharacters", obj{"PlatformId": p.ID}).is(`{`+want+`}`, id, other)
	p.server("Server/GetAllUsersCharacters", nil).is(`{"PlatformId":"%s",`+want+`}`, p.ID, id, other)
	q.call("GetAllUsersCharacters", obj{}).is(`{"Characters":[]}`)
	q.call("GetAllUsersCharacters", obj{"PlatformId": "nobody"}).fails("AccountNotFound", 1001)
	f.player("FFFFF").call("GetAllUsersCharacters", obj{"PlatformId": p.ID}).fails("AccountNotFound", 1001)

	for _, name := range []string{"", strings.Repeat("ä", 41), "a\x00"} {
		p.server("Server/GrantCharacterToUser", obj{"CharacterName": name, "CharacterType": "Knight"}).fails("InvalidParams", 1000)
	}
	p.server("Server/GrantCharacterToUser", obj{"CharacterName": strings.Repeat("ä", 40), "CharacterType": "Knight"}).ok()
	p.server("Server/GrantCharacterToUser", obj{"CharacterName": "Bob"}).fails("InvalidParams", 1000)
	p.server("Server/GrantCharacterToUser", obj{"CharacterName": "Bob", "CharacterType": strings.Repeat("x", 101)}).fails("InvalidParams", 1000)
	for range maxCharacters - 3 {
		p.character("x")
	}
	p.server("Server/GrantCharacterToUser", obj{"CharacterName": "Bob", "CharacterType": "Knight"}).fails("OverLimit", 1214)
	p.server("Server/DeleteCharacterFromUser", obj{"CharacterId": other}).is(`{}`)
	p.server("Server/DeleteCharacterFromUser", obj{"CharacterId": other}).fails("CharacterNotFound", 1135)
	q.server("Server/DeleteCharacterFromUser", obj{"CharacterId": id}).fails("CharacterNotFound", 1135)
}

// TestBecomeCharacter: a client makes a character of an item it has, which is
// used up by it.
func TestBecomeCharacter(t *testing.T) {
	f := newFixture(t)
	f.catalog("ABCDE", obj{"ItemId": "knight", "CanBecomeCharacter": true}, obj{"ItemId": "token", "CanBecomeCharacter": true, "Consumable": obj{"UsageCount": 2}}, obj{"ItemId": "sword"})
	p := f.player("ABCDE")
	become := func(item, name string) answer {
		t.Helper()
		return p.call("GrantCharacterToUser", obj{"ItemId": item, "CharacterName": name})
	}
	become("knight", "Bob").fails("ItemNotOwned", 1048)
	become("nothing", "Bob").fails("ItemNotFound", 1047)
	become("knight", strings.Repeat("x", 41)).fails("InvalidParams", 1000)
	become("knight", "").fails("InvalidParams", 1000)
	p.grant("knight", "token", "sword")
	become("sword", "Bob").fails("InvalidItemProperties", 1091)
	p.call("GrantCharacterToUser", obj{"ItemId": "knight", "CharacterName": "Bob", "CatalogVersion": "2"}).fails("CatalogNotConfigured", 1218)
	got := become("knight", "Bob")
	got.is(`{"CharacterId":"%s","CharacterType":"knight","Result":true}`, got.ok()["CharacterId"])
	become("knight", "Bob").fails("ItemNotOwned", 1048)
	become("token", "Ann").ok()
	if got := p.inventory(); strings.Contains(got, "knight") || !strings.Contains(got, "token x1") {
		t.Error(got)
	}
	become("token", "Ann").ok()
	if got := p.inventory(); got != "sword" {
		t.Error(got)
	}
	if got := p.call("GetAllUsersCharacters", obj{}).ok()["Characters"].([]any); len(got) != 3 {
		t.Error(got)
	}
}

func TestCharacterInventory(t *testing.T) {
	f := newFixture(t)
	shop(f)
	p := f.player("ABCDE")
	bob, ann := p.character("Bob"), p.character("Ann")
	const empty = `"Inventory":[],"VirtualCurrency":{"GC":0,"XP":0},"VirtualCurrencyRechargeTimes":{}` // no deposit
	p.call("GetCharacterInventory", obj{"CharacterId": bob}).is(`{"CharacterId":"%s",`+empty+`}`, bob)
	p.server("Server/GetCharacterInventory", obj{"CharacterId": bob}).is(`{"PlatformId":"%s","CharacterId":"%s",`+empty+`}`, p.ID, bob)
	p.call("GetCharacterInventory", obj{"CharacterId": "x"}).fails("CharacterNotFound", 1135)
	p.call("GetCharacterInventory", obj{}).fails("InvalidParams", 1000)
	f.player("ABCDE").call("GetCharacterInventory", obj{"CharacterId": bob}).fails("CharacterNotFound", 1135)

	p.server("Server/GrantItemsToCharacter", obj{"CharacterId": "x", "ItemIds": list{"sword"}}).fails("CharacterNotFound", 1135)
	out := p.server("Server/GrantItemsToCharacter", obj{"CharacterId": bob, "ItemIds": list{"sword", "potion", "pack"}}).ok()["ItemGrantResults"].([]any)
	if first := out[0].(map[string]any); first["CharacterId"] != bob || first["PlatformId"] != p.ID || len(out) != 7 {
		t.Errorf("%v", out)
	}
	id := func(i int) string { return out[i].(map[string]any)["ItemInstanceId"].(string) }
	has := func(character string) string {
		t.Helper()
		return inventoryText(p.call("GetCharacterInventory", obj{"CharacterId": character, "CatalogVersion": "1"}).ok())
	}
	if got := inventoryText(p.call("GetCharacterInventory", obj{"CharacterId": bob, "CatalogVersion": "9"}).ok()); got != "" {
		t.Error(got)
	}
	if p.balance("XP") != 0 || p.inventory() != "" || strings.Count(has(bob), "sword") != 2 {
		t.Errorf("%d, %s, %s", p.balance("XP"), p.inventory(), has(bob))
	}
	p.server("Server/SubtractCharacterVirtualCurrency", obj{"CharacterId": bob, "VirtualCurrency": "XP", "Amount": 7}).is(`{"VirtualCurrency":"XP","Balance":-1}`)
	p.call("ConsumeItem", obj{"ItemInstanceId": id(1), "ConsumeCount": 1}).fails("ItemNotFound", 1047)
	p.call("ConsumeItem", obj{"ItemInstanceId": id(1), "ConsumeCount": 1, "CharacterId": bob}).ok()
	p.server("Server/UpdateUserInventoryItemCustomData", obj{"ItemInstanceId": id(1), "CharacterId": bob, "Data": obj{"a": "b"}}).ok()

	// Moves.
	move := func(call string, body obj) answer { t.Helper(); return p.server("Server/MoveItemTo"+call, body) }
	move("UserFromCharacter", obj{"CharacterId": ann, "ItemInstanceId": id(1)}).fails("ItemNotOwned", 1048)
	move("UserFromCharacter", obj{"CharacterId": "x", "ItemInstanceId": id(1)}).fails("CharacterNotFound", 1135)
	move("UserFromCharacter", obj{"CharacterId": bob, "ItemInstanceId": id(1)}).is(`{}`)
	if p.inventory() != "potion x2" || strings.Contains(has(bob), "potion") {
		t.Errorf("%s; %s", p.inventory(), has(bob))
	}
	move("CharacterFromUser", obj{"CharacterId": "x", "ItemInstanceId": id(1)}).fails("CharacterNotFound", 1135)
	move("CharacterFromUser", obj{"CharacterId": ann, "ItemInstanceId": id(0)}).fails("ItemNotOwned", 1048)
	move("CharacterFromUser", obj{"CharacterId": ann, "ItemInstanceId": id(1)}).is(`{}`)
	move("CharacterFromCharacter", obj{"GivingCharacterId": bob, "ReceivingCharacterId": ann, "ItemInstanceId": id(0)}).is(`{}`)
	move("CharacterFromCharacter", obj{"GivingCharacterId": bob, "ReceivingCharacterId": ann, "ItemInstanceId": id(0)}).fails("ItemNotOwned", 1048)
	move("CharacterFromCharacter", obj{"GivingCharacterId": "x", "ReceivingCharacterId": ann, "ItemInstanceId": id(0)}).fails("CharacterNotFound", 1135)
	move("CharacterFromCharacter", obj{"GivingCharacterId": ann, "ReceivingCharacterId": "x", "ItemInstanceId": id(0)}).fails("CharacterNotFound", 1135)
	f.player("ABCDE").server("Server/MoveItemToUserFromCharacter", obj{"CharacterId": ann, "ItemInstanceId": id(0)}).fails("CharacterNotFound", 1135)
	if got := has(ann); strings.Count(got, ",") != 1 || !strings.Contains(got, "sword") || !strings.Contains(got, "potion x2") {
		t.Error(got)
	}
	if body := p.call("GetCharacterInventory", obj{"CharacterId": ann}).Body; !strings.Contains(body, `"CustomData":{"a":"b"}`) {
		t.Errorf("custom data goes with the item: %s", body)
	}
	// What a character has goes with it, or to the player.
	p.server("Server/DeleteCharacterFromUser", obj{"CharacterId": ann, "SaveCharacterInventory": true}).ok()
	if got := p.inventory(); !strings.Contains(got, "sword") || !strings.Contains(got, "potion x2") {
		t.Error(got)
	}
	before := p.inventory()
	p.server("Server/DeleteCharacterFromUser", obj{"CharacterId": bob}).ok()
	if got := p.inventory(); got != before {
		t.Error(got)
	}
	if n := fmt.Sprint(p.call("GetAllUsersCharacters", obj{}).ok()["Characters"]); n != "[]" {
		t.Error(n)
	}
}
