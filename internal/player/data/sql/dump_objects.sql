SELECT name, object, updated FROM player_objects WHERE title = $1 AND player = $2 ORDER BY name
