SELECT kind, version, entries, bytes FROM player_data_heads WHERE title = $1 AND player = $2 ORDER BY kind
