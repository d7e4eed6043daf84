DELETE FROM player_bans WHERE title = $1 AND player = $2
