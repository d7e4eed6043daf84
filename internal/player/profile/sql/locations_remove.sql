DELETE FROM player_locations WHERE title = $1 AND player = $2
