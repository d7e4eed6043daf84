DELETE FROM player_purchases WHERE title = $1 AND player = $2
