SELECT id, player, created, expires, reason, address, active FROM player_bans WHERE title = $1 AND id = $2
