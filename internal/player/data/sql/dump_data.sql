SELECT kind, name, value, public, updated FROM player_data WHERE title = $1 AND player = $2 ORDER BY kind, name
