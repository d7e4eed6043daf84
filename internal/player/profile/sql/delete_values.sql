DELETE FROM player_values WHERE title = $1 AND player = $2
