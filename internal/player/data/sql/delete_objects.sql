DELETE FROM player_objects WHERE title = $1 AND player = $2
