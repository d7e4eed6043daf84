package economy

import (
	"context"

	"ludgate/internal/player/call"
	"ludgate/internal/wire"
)

// maxCatalogBody is the largest body of a call that sets a catalog.
const maxCatalogBody = 8 << 20

// Routes are the calls of the economy. The ones of servers that read or change a
// player are there for administrators, too, where the field has them.
func (s *Service) Routes() []wire.Route {
	g := s.gate
	routes := []wire.Route{
		call.Post(g, call.Secret, "/Admin/AddVirtualCurrencyTypes", s.handleAddCurrencies),
		call.Post(g, call.Secret, "/Admin/ListVirtualCurrencyTypes", s.handleListCurrencies),
		call.Post(g, call.Secret, "/Admin/RemoveVirtualCurrencyTypes", s.handleRemoveCurrencies),
		large(call.Post(g, call.Secret, "/Admin/SetCatalogItems", s.handleSetCatalog)),
		large(call.Post(g, call.Secret, "/Admin/UpdateCatalogItems", s.handleUpdateCatalog)),

		call.Post(g, call.Session, "/Client/AddUserVirtualCurrency", s.handleOwnPayment(1)),
		call.Post(g, call.Session, "/Client/SubtractUserVirtualCurrency", s.handleOwnPayment(-1)),
		call.Post(g, call.Session, "/Client/GetCatalogItems", s.handleGetCatalog),
		call.Post(g, call.Session, "/Client/GetUserInventory", s.handleOwnInventory),
		call.Post(g, call.Session, "/Client/PurchaseItem", s.handlePurchase),
		call.Post(g, call.Session, "/Client/ConsumeItem", s.handleOwnConsume),
		call.Post(g, call.Session, "/Client/GetAllUsersCharacters", s.handleCharacters),
		call.Post(g, call.Session, "/Client/GetCharacterInventory", s.handleOwnCharacterInventory),
		call.Post(g, call.Session, "/Client/GrantCharacterToUser", s.handleBecomeCharacter),

		call.Post(g, call.Secret, "/Server/ConsumeItem", s.handleConsume),
		call.Post(g, call.Secret, "/Server/ModifyItemUses", s.handleModifyUses),
		call.Post(g, call.Secret, "/Server/UpdateUserInventoryItemCustomData", s.handleCustomData),
		call.Post(g, call.Secret, "/Server/GetAllUsersCharacters", s.handleUserCharacters),
		call.Post(g, call.Secret, "/Server/GetCharacterInventory", s.handleCharacterInventory),
		call.Post(g, call.Secret, "/Server/GrantItemsToUser", s.handleGrantToUser),
		call.Post(g, call.Secret, "/Server/GrantItemsToCharacter", s.handleGrantToCharacter),
		call.Post(g, call.Secret, "/Server/GrantCharacterToUser", s.handleGrantCharacter),
		call.Post(g, call.Secret, "/Server/DeleteCharacterFromUser", s.handleDeleteCharacter),
		call.Post(g, call.Secret, "/Server/MoveItemToCharacterFromUser", s.handleMoveDown),
		call.Post(g, call.Secret, "/Server/MoveItemToUserFromCharacter", s.handleMoveUp),
		call.Post(g, call.Secret, "/Server/MoveItemToCharacterFromCharacter", s.handleMoveAcross),
		call.Post(g, call.Secret, "/Server/AddCharacterVirtualCurrency", s.handleCharacterPayment(1)),
		call.Post(g, call.Secret, "/Server/SubtractCharacterVirtualCurrency", s.handleCharacterPayment(-1)),
	}
	for _, side := range []string{"/Server/", "/Admin/"} {
		routes = append(routes,
			call.Post(g, call.Secret, side+"AddUserVirtualCurrency", s.handlePayment(1)),
			call.Post(g, call.Secret, side+"SubtractUserVirtualCurrency", s.handlePayment(-1)),
			call.Post(g, call.Secret, side+"GetCatalogItems", s.handleGetCatalog),
			call.Post(g, call.Secret, side+"GetUserInventory", s.handleInventory),
			call.Post(g, call.Secret, side+"GrantItemsToUsers", s.handleGrantToUsers),
			call.Post(g, call.Secret, side+"RevokeInventoryItem", s.handleRevoke),
			call.Post(g, call.Secret, side+"RevokeInventoryItems", s.handleRevokeAll),
		)
	}
	return routes
}

func large(r wire.Route) wire.Route {
	r.MaxBody = maxCatalogBody
	return r
}

func (s *Service) handleAddCurrencies(ctx context.Context, c *call.Call, r *VirtualCurrenciesRequest) (any, error) {
	return nil, s.addCurrencies(ctx, c.Title.ID, r.VirtualCurrencies, c.Millis())
}

func (s *Service) handleListCurrencies(ctx context.Context, c *call.Call, _ *NoRequest) (any, error) {
	return s.listCurrencies(ctx, c.Title.ID)
}

func (s *Service) handleRemoveCurrencies(ctx context.Context, c *call.Call, r *VirtualCurrenciesRequest) (any, error) {
	return nil, s.removeCurrencies(ctx, c.Title.ID, r.VirtualCurrencies)
}

func (s *Service) handleSetCatalog(ctx context.Context, c *call.Call, r *UpdateCatalogRequest) (any, error) {
	return nil, s.setCatalog(ctx, c.Title.ID, r, false)
}

func (s *Service) handleUpdateCatalog(ctx context.Context, c *call.Call, r *UpdateCatalogRequest) (any, error) {
	return nil, s.setCatalog(ctx, c.Title.ID, r, true)
}

func (s *Service) handleGetCatalog(ctx context.Context, c *call.Call, r *GetCatalogRequest) (any, error) {
	return s.getCatalog(ctx, c.Title.ID, r.CatalogVersion)
}

// own is the caller of a client's call, or one of its characters.
func own(c *call.Call, character string) subject {
	return subject{c.Title.ID, c.Player, character}
}

// handleOwnPayment pays a client's own balance, where its title lets clients.
func (s *Service) handleOwnPayment(sign int64) func(context.Context, *call.Call, *PaymentRequest) (any, error) {
	return func(ctx context.Context, c *call.Call, r *PaymentRequest) (any, error) {
		if !c.Title.AllowClientCurrency {
			return nil, call.Refuse("APINotEnabledForGameClientAccess", "API not enabled for game client access")
		}
		return s.paid(ctx, own(c, ""), *r, sign, c.Millis())
	}
}

func (s *Service) handlePayment(sign int64) func(context.Context, *call.Call, *UserPaymentRequest) (any, error) {
	return func(ctx context.Context, c *call.Call, r *UserPaymentRequest) (any, error) {
		return s.paid(ctx, subject{c.Title.ID, r.PlatformId, ""}, r.PaymentRequest, sign, c.Millis())
	}
}

func (s *Service) paid(ctx context.Context, who subject, r PaymentRequest, sign, now int64) (any, error) {
	after, change, err := s.payment(ctx, who, r, sign, now)
	if err != nil {
		return nil, err
	}
	return &ModifyUserVirtualCurrencyResult{PlatformId: who.player, VirtualCurrency: r.VirtualCurrency, BalanceChange: change, Balance: after}, nil
}

func (s *Service) handleCharacterPayment(sign int64) func(context.Context, *call.Call, *CharacterPaymentRequest) (any, error) {
	return func(ctx context.Context, c *call.Call, r *CharacterPaymentRequest) (any, error) {
		after, _, err := s.payment(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.PaymentRequest, sign, c.Millis())
		if err != nil {
			return nil, err
		}
		return &ModifyCharacterVirtualCurrencyResult{VirtualCurrency: r.VirtualCurrency, Balance: after}, nil
	}
}

func (s *Service) handleOwnInventory(ctx context.Context, c *call.Call, _ *NoRequest) (any, error) {
	return s.inventory(ctx, own(c, ""), "", c.Millis())
}

func (s *Service) handleInventory(ctx context.Context, c *call.Call, r *PlayerRequest) (any, error) {
	return s.shown(ctx, subject{c.Title.ID, r.PlatformId, ""}, "", c.Millis())
}

func (s *Service) handleOwnCharacterInventory(ctx context.Context, c *call.Call, r *CharacterInventoryRequest) (any, error) {
	return s.inventory(ctx, own(c, r.CharacterId), r.CatalogVersion, c.Millis())
}

func (s *Service) handleCharacterInventory(ctx context.Context, c *call.Call, r *UserCharacterInventoryRequest) (any, error) {
	return s.shown(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.CatalogVersion, c.Millis())
}

// shown is an inventory as servers see it.
func (s *Service) shown(ctx context.Context, who subject, version string, now int64) (any, error) {
	out, err := s.inventory(ctx, who, version, now)
	if err != nil {
		return nil, err
	}
	out.PlatformId = who.player
	return out, nil
}

func (s *Service) handlePurchase(ctx context.Context, c *call.Call, r *PurchaseItemRequest) (any, error) {
	return s.purchase(ctx, own(c, r.CharacterId), r, c.Millis())
}

func (s *Service) handleOwnConsume(ctx context.Context, c *call.Call, r *ConsumeItemRequest) (any, error) {
	return s.consume(ctx, own(c, r.CharacterId), r.ItemInstanceId, r.ConsumeCount, c.Millis())
}

func (s *Service) handleConsume(ctx context.Context, c *call.Call, r *UserConsumeItemRequest) (any, error) {
	return s.consume(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.ItemInstanceId, r.ConsumeCount, c.Millis())
}

func (s *Service) handleModifyUses(ctx context.Context, c *call.Call, r *ModifyItemUsesRequest) (any, error) {
	return s.modifyUses(ctx, subject{c.Title.ID, r.PlatformId, ""}, r.ItemInstanceId, r.UsesToAdd, c.Millis())
}

func (s *Service) handleCustomData(ctx context.Context, c *call.Call, r *UpdateItemCustomDataRequest) (any, error) {
	return nil, s.updateCustomData(ctx, r, c.Title.ID, c.Millis())
}

func (s *Service) handleRevoke(ctx context.Context, c *call.Call, r *RevokeInventoryItem) (any, error) {
	return nil, s.revoke(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.ItemInstanceId, c.Millis())
}

func (s *Service) handleRevokeAll(ctx context.Context, c *call.Call, r *RevokeInventoryItemsRequest) (any, error) {
	return s.revokeAll(ctx, c.Title.ID, r.Items, c.Millis())
}

func (s *Service) handleGrantToUser(ctx context.Context, c *call.Call, r *GrantItemsToUserRequest) (any, error) {
	return s.grantItems(ctx, subject{c.Title.ID, r.PlatformId, ""}, r.CatalogVersion, r.Annotation, r.ItemIds, c.Millis())
}

func (s *Service) handleGrantToCharacter(ctx context.Context, c *call.Call, r *GrantItemsToCharacterRequest) (any, error) {
	return s.grantItems(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.CatalogVersion, r.Annotation, r.ItemIds, c.Millis())
}

func (s *Service) handleGrantToUsers(ctx context.Context, c *call.Call, r *GrantItemsToUsersRequest) (any, error) {
	return s.grantItemsToUsers(ctx, c.Title.ID, r, c.Millis())
}

// handleCharacters lists the characters of the caller or of another player.
func (s *Service) handleCharacters(ctx context.Context, c *call.Call, r *OptionalPlayerRequest) (any, error) {
	player := r.PlatformId
	if player == "" {
		player = c.Player
	}
	list, err := s.listCharacters(ctx, c.Title.ID, player)
	return &CharactersResult{Characters: list}, err
}

func (s *Service) handleUserCharacters(ctx context.Context, c *call.Call, r *PlayerRequest) (any, error) {
	list, err := s.listCharacters(ctx, c.Title.ID, r.PlatformId)
	return &CharactersResult{PlatformId: r.PlatformId, Characters: list}, err
}

func (s *Service) handleBecomeCharacter(ctx context.Context, c *call.Call, r *GrantCharacterRequest) (any, error) {
	return s.becomeCharacter(ctx, own(c, ""), r, c.Millis())
}

func (s *Service) handleGrantCharacter(ctx context.Context, c *call.Call, r *UserGrantCharacterRequest) (any, error) {
	return s.grantCharacter(ctx, subject{c.Title.ID, r.PlatformId, ""}, r.CharacterName, r.CharacterType, c.Millis())
}

func (s *Service) handleDeleteCharacter(ctx context.Context, c *call.Call, r *DeleteCharacterRequest) (any, error) {
	return nil, s.deleteCharacter(ctx, subject{c.Title.ID, r.PlatformId, r.CharacterId}, r.SaveCharacterInventory)
}

func (s *Service) handleMoveDown(ctx context.Context, c *call.Call, r *MoveItemRequest) (any, error) {
	return nil, s.move(ctx, c.Title.ID, r.PlatformId, "", r.CharacterId, r.ItemInstanceId, c.Millis())
}

func (s *Service) handleMoveUp(ctx context.Context, c *call.Call, r *MoveItemRequest) (any, error) {
	return nil, s.move(ctx, c.Title.ID, r.PlatformId, r.CharacterId, "", r.ItemInstanceId, c.Millis())
}

func (s *Service) handleMoveAcross(ctx context.Context, c *call.Call, r *MoveItemBetweenCharactersRequest) (any, error) {
	return nil, s.move(ctx, c.Title.ID, r.PlatformId, r.GivingCharacterId, r.ReceivingCharacterId, r.ItemInstanceId, c.Millis())
}
