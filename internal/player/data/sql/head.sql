SELECT version, entries, bytes FROM player_data_heads WHERE title = $1 AND player = $2 AND kind = $3
