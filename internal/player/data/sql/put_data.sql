INSERT INTO player_data (title, player, kind, name, value, public, updated) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (title, player, kind, name) DO UPDATE SET value = excluded.value, public = excluded.public, updated = excluded.updated
