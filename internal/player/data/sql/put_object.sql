INSERT INTO player_objects (title, player, name, object, updated) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (title, player, name) DO UPDATE SET object = excluded.object, updated = excluded.updated
