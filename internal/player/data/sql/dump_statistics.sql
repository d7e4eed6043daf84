SELECT past, name, version, negative, updated FROM player_statistics WHERE title = $1 AND player = $2 ORDER BY past, name, version
