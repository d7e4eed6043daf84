DELETE FROM player_data WHERE title = $1 AND player = $2
