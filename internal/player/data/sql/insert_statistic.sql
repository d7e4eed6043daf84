INSERT INTO player_statistics (title, player, past, name, version, negative, updated) VALUES ($1, $2, $3, $4, $5, $6, $7)
