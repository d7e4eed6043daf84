DELETE FROM player_push WHERE title = $1 AND player = $2
