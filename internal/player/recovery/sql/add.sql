INSERT INTO player_recoveries (title, player, hash, address, created, expires, used, forget_at)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
