INSERT INTO economy_items (title, player, id, holder, item, catalog, class, name, annotation, parent, contents, custom, uses, expires, period_group, bought, currency, price)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (title, player, id) DO NOTHING
