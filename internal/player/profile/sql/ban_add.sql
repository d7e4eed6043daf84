INSERT INTO player_bans (title, player, id, created, expires, reason, address, active) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT DO NOTHING
