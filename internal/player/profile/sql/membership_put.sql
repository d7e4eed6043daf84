INSERT INTO player_memberships (title, player, id, expiration, override) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (title, player, id) DO UPDATE SET expiration = excluded.expiration
