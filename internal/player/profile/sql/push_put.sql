INSERT INTO player_push (title, player, endpoint, platform, token, added) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (title, player, endpoint) DO UPDATE SET added = excluded.added
