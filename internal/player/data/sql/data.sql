SELECT name, value, public, updated FROM player_data WHERE title = $1 AND player = $2 AND kind = $3 ORDER BY name
