SELECT id, player, created, expires, reason, address, active FROM player_bans WHERE title = $1 AND player = $2 ORDER BY created, id
