// Package economy keeps what players own in a title: virtual currencies, the
// items of their inventories, and their characters, each with an inventory and
// balances of its own. It is part of the player service (P-2.ItemInstance,
// P-2.VirtualCurrencyRechargeTime, P-2.CharacterResult, P-2.CharacterInventory).
//
// Where things are:
//
//   - recharge.go: a balance and how time refills it
//   - definitions.go: the currencies and catalogs of a title, in memory
//   - currency.go: kinds of currency, and what is paid in and out
//   - catalog.go, catalog_rules.go: items that can be had, and what is accepted
//   - item.go: an item of an inventory as it is stored
//   - grant.go: from an item of the catalog to items of an inventory
//   - inventory.go: buy, consume, revoke, change
//   - characters.go: characters and the moves between inventories
//   - load.go: what combined info shows
//   - dump.go: delete, export, import
//   - records.go, requests.go, routes.go: the wire
//
// # Promises
//
//   - A call's writes happen together or not at all. A purchase never takes money
//     without giving all of the item, and of several at once with money for one,
//     one succeeds.
//   - Time works without anybody: refills of a currency and the end of an item's
//     life are computed when they are read and when they are written.
//   - A refill loses no fraction of a unit and gains none, whatever is paid in or
//     out meanwhile and however the currency's rate is changed (of one that is
//     changed more than 500 times, the oldest changes are forgotten). At the
//     maximum, above it, and without a rate the clock stands still, and starts
//     from nothing afterwards.
//   - Balances stay within 32 bits. What would go beyond is dropped, as the field
//     does it. They may become negative by Subtract calls, never by a purchase.
//   - A currency that is removed and added again is a new one: nobody has old
//     money of it.
//   - Nothing is accepted in a catalog that has no effect here: containers,
//     result tables, limited editions, trading and memberships are refused.
package economy
