SELECT number, written FROM player_events WHERE title = $1 AND player = $2 ORDER BY number LIMIT $3
