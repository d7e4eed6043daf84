DELETE FROM player_data WHERE title = $1 AND player = $2 AND kind = $3 AND name = $4
