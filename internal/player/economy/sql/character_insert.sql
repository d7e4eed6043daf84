INSERT INTO economy_characters (title, player, id, name, type, created) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (title, player, id) DO NOTHING
