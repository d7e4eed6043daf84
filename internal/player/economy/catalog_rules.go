package economy

import (
	"fmt"
	"maps"
	"slices"
)

// Bounds of a catalog. The vendor's are not public, except where it says so.
const (
	maxCatalogs    = 20     // versions of a title
	maxItems       = 10_000 // items of a version
	maxName        = 100    // code points of ids, classes, names, tags, versions
	maxDescription = 10_000 // bytes of a description and of custom data
	maxTags        = 50
	maxBundled     = 100 // entries of one bundle
	maxDepth       = 5   // bundles in bundles
	maxUnpacked    = 500 // items that one grant of a bundle makes, all depths together
	maxUses        = 1_000_000_000
	maxPeriod      = 100 * 365 * 24 * 60 * 60 // seconds
	realMoney      = "RM"                     // stands in prices for money of the world
)

// check says what is wrong with an item of a catalog, "" when nothing is. Prices
// and bundles are looked at by checkCatalog, which knows the rest.
func (it *CatalogItem) check() string {
	switch {
	case it.ItemId == "":
		return "ItemId is required"
	case long(it.ItemId), long(it.ItemClass), long(it.DisplayName):
		return fmt.Sprintf("ItemId, ItemClass and DisplayName have at most %d characters", maxName)
	case len(it.Description) > maxDescription, len(it.CustomData) > maxDescription, len(it.ItemImageUrl) > 2048:
		return fmt.Sprintf("Description and CustomData have at most %d bytes, ItemImageUrl 2048", maxDescription)
	case len(it.Tags) > maxTags, slices.ContainsFunc(it.Tags, long):
		return fmt.Sprintf("there are at most %d Tags of %d characters", maxTags, maxName)
	case it.Container != nil:
		return "containers are not supported by this server"
	case it.IsTradable:
		return "trading is not supported by this server, so IsTradable cannot be true"
	case it.IsLimitedEdition, it.InitialLimitedEditionCount != 0:
		return "limited editions are not supported by this server"
	case it.ActivatedMembership != "":
		return "memberships of items are not supported by this server"
	}
	for code, price := range it.VirtualCurrencyPrices {
		if price > 1<<31-1 {
			return "the price in " + clip(code) + " is more than a balance can be"
		}
	}
	if len(it.RealCurrencyPrices) > maxTags || slices.ContainsFunc(slices.Collect(maps.Keys(it.RealCurrencyPrices)), func(s string) bool { return len(s) != 3 && s != realMoney }) {
		return fmt.Sprintf("RealCurrencyPrices has at most %d currencies of three letters", maxTags)
	}
	return it.Consumable.check()
}

func (c *ConsumableInfo) check() string {
	switch {
	case c == nil:
		return ""
	case c.UsageCount != nil && (*c.UsageCount == 0 || *c.UsageCount > maxUses):
		return fmt.Sprintf("UsageCount is between 1 and %d", maxUses)
	case c.UsagePeriod != nil && (*c.UsagePeriod == 0 || *c.UsagePeriod > maxPeriod):
		return fmt.Sprintf("UsagePeriod is between 1 and %d seconds", maxPeriod)
	case c.UsagePeriodGroup != "" && c.UsagePeriod == nil:
		return "UsagePeriodGroup needs a UsagePeriod"
	case long(c.UsagePeriodGroup):
		return fmt.Sprintf("UsagePeriodGroup has at most %d characters", maxName)
	}
	return ""
}

// uses is the number of uses that one grant of the item gives; 0: the item is
// not used up. A stackable item always counts.
func (it *CatalogItem) uses() int32 {
	if it.Consumable != nil && it.Consumable.UsageCount != nil {
		return int32(*it.Consumable.UsageCount)
	}
	if it.IsStackable {
		return 1
	}
	return 0
}

// period is how long the item lasts, in milliseconds; 0: for ever.
func (it *CatalogItem) period() int64 {
	if it.Consumable == nil || it.Consumable.UsagePeriod == nil {
		return 0
	}
	return int64(*it.Consumable.UsagePeriod) * 1000
}

// group is the name under which items expire together, or "".
func (it *CatalogItem) group() string {
	if it.Consumable == nil {
		return ""
	}
	return it.Consumable.UsagePeriodGroup
}

// checkCatalog holds a whole catalog against the rules: each item, its prices and
// bundles against the title's currencies, and that no bundle unpacks for ever.
func checkCatalog(d *Definitions, c *catalog) error {
	if len(c.items) > maxItems {
		return invalid("Catalog", fmt.Sprintf("A catalog has at most %d items.", maxItems))
	}
	if len(c.byID) != len(c.items) {
		return invalid("Catalog", "An ItemId is there twice.")
	}
	for i := range c.items {
		it := &c.items[i]
		if fault := it.check(); fault != "" {
			return invalid("Catalog", fmt.Sprintf("Item %q: %s.", clip(it.ItemId), fault))
		}
		for code := range it.VirtualCurrencyPrices {
			if code != realMoney && d.currency(code) == nil {
				return errNoCurrency(code)
			}
		}
		if fault := it.Bundle.check(d, c); fault != "" {
			return invalid("Catalog", fmt.Sprintf("Item %q: %s.", clip(it.ItemId), fault))
		}
	}
	for i := range c.items {
		n, ok := unpacked(c, c.items[i].ItemId, 0)
		if !ok {
			return invalid("Catalog", fmt.Sprintf("Item %q: bundles hold bundles at most %d deep and never themselves.", clip(c.items[i].ItemId), maxDepth))
		}
		if n > maxUnpacked {
			return invalid("Catalog", fmt.Sprintf("Item %q: it unpacks to more than %d items.", clip(c.items[i].ItemId), maxUnpacked))
		}
	}
	return nil
}

func (b *BundleInfo) check(d *Definitions, c *catalog) string {
	if b == nil {
		return ""
	}
	if len(b.BundledResultTables) > 0 {
		return "result tables are not supported by this server"
	}
	if len(b.BundledItems) > maxBundled {
		return fmt.Sprintf("a bundle has at most %d items", maxBundled)
	}
	for _, id := range b.BundledItems {
		if c.byID[id] == nil {
			return fmt.Sprintf("its bundle names the item %q, which is not in the catalog", clip(id))
		}
	}
	for code, n := range b.BundledVirtualCurrencies {
		if d.currency(code) == nil {
			return fmt.Sprintf("its bundle names the currency %q, which the title does not have", clip(code))
		}
		if n > 1<<31-1 {
			return "its bundle holds more of a currency than a balance can be"
		}
	}
	return ""
}

// unpacked counts the items that a grant of one makes, itself included, up to
// just above the limit; ok is false when bundles nest too deeply.
func unpacked(c *catalog, id string, depth int) (n int, ok bool) {
	it := c.byID[id]
	if it.Bundle == nil || len(it.Bundle.BundledItems) == 0 {
		return 1, true
	}
	if depth >= maxDepth {
		return 0, false
	}
	n = 1
	for _, part := range it.Bundle.BundledItems {
		k, ok := unpacked(c, part, depth+1)
		if !ok {
			return 0, false
		}
		if n += k; n > maxUnpacked {
			return maxUnpacked + 1, true
		}
	}
	return n, true
}
