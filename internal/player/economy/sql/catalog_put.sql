INSERT INTO economy_catalogs (title, version, chosen, items) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, version) DO UPDATE SET chosen = excluded.chosen, items = excluded.items
