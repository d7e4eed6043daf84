SELECT id, holder, item, catalog, class, name, annotation, parent, contents, custom, uses, expires, period_group, bought, currency, price
FROM economy_items WHERE title = $1 AND player = $2 AND holder = $3 AND (expires IS NULL OR expires > $4) ORDER BY id
