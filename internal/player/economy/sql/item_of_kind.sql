SELECT id, holder, item, catalog, class, name, annotation, parent, contents, custom, uses, expires, period_group, bought, currency, price
FROM economy_items WHERE title = $1 AND player = $2 AND holder = $3 AND item = $4 AND catalog = $5
  AND (expires IS NULL OR expires > $6) ORDER BY id LIMIT 1
