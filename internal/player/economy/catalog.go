package economy

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	catalogPutStmt    = statements.Get("catalog_put")
	catalogChooseStmt = statements.Get("catalog_choose")
)

// setCatalog replaces a version of a title's catalog, or with update changes the
// items that are named and adds those that are new. The first catalog of a title
// becomes the default one, and so does any other unless it says no.
func (s *Service) setCatalog(ctx context.Context, title string, r *UpdateCatalogRequest, update bool) error {
	if long(r.CatalogVersion) {
		return invalid("CatalogVersion", fmt.Sprintf("CatalogVersion has at most %d characters.", maxName))
	}
	err := s.st.Write(ctx, func(tx store.Tx) error {
		d, err := readDefinitions(tx, title)
		if err != nil {
			return err
		}
		version := r.CatalogVersion
		if version == "" {
			version = d.chosen
		}
		if version == "" {
			return invalid("CatalogVersion", "The title has no default catalog yet, so a CatalogVersion is required.")
		}
		var items []CatalogItem
		old := d.catalogs[version]
		if old == nil && len(d.catalogs) >= maxCatalogs {
			return call.Refuse("OverLimit", "A title has at most %d catalogs", maxCatalogs)
		}
		if update && old != nil {
			items = slices.Clone(old.items)
		}
		c := newCatalog(version, merge(items, r.Catalog, version, update))
		if err := checkCatalog(d, c); err != nil {
			return err
		}
		text, err := json.Marshal(c.items, json.Deterministic(true))
		if err != nil {
			return err
		}
		choose := r.SetAsDefaultCatalog == nil || *r.SetAsDefaultCatalog || d.chosen == ""
		if _, err := tx.Exec(catalogPutStmt, title, version, d.chosen == version, string(text)); err != nil {
			return err
		}
		if choose && d.chosen != version {
			if _, err := tx.Exec(catalogChooseStmt, title, version); err != nil {
				return err
			}
		}
		tx.Notify(topic)
		return nil
	})
	return s.changed(err)
}

// merge puts the items of a request in a catalog: with update in the place of
// those of the same id, else behind the others, so that an id that is there twice
// stays twice and is refused.
func merge(items, add []CatalogItem, version string, update bool) []CatalogItem {
	place := make(map[string]int, len(items))
	for i := range items {
		place[items[i].ItemId] = i
	}
	fresh := map[string]bool{}
	for _, it := range add {
		it.CatalogVersion = version
		if i, ok := place[it.ItemId]; ok && update && !fresh[it.ItemId] {
			items[i], fresh[it.ItemId] = it, true
			continue
		}
		items = append(items, it)
	}
	return items
}

// changed lets this node forget what it knew of titles after a change; other
// nodes hear of it from the store.
func (s *Service) changed(err error) error {
	if err == nil {
		s.cache.forget()
	}
	return err
}

// getCatalog lists the items of a catalog. A title without any has an empty one.
func (s *Service) getCatalog(ctx context.Context, title, version string) (*CatalogResult, error) {
	d, err := s.cache.get(ctx, title)
	if err != nil {
		return nil, err
	}
	out := &CatalogResult{Catalog: []CatalogItem{}}
	if version == "" && d.chosen == "" {
		return out, nil
	}
	c, err := d.catalog(version)
	if err != nil {
		return nil, err
	}
	out.Catalog = append(out.Catalog, c.items...)
	return out, nil
}

// DeleteTitle removes what a title defines, when the title itself is removed.
func (s *Service) DeleteTitle(tx store.Tx, title string) error {
	if _, err := tx.Exec(forgetCurrenciesStmt, title); err != nil {
		return err
	}
	tx.Notify(topic)
	_, err := tx.Exec(forgetCatalogsStmt, title)
	return err
}

var (
	forgetCurrenciesStmt = statements.Get("forget_currencies")
	forgetCatalogsStmt   = statements.Get("forget_catalogs")
)
