SELECT name, value, public, updated FROM player_data WHERE title = $1 AND player = $2 AND kind = $3 AND name IN (SELECT value FROM json_each($4)) ORDER BY name
