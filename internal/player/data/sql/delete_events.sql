DELETE FROM player_events WHERE title = $1 AND player = $2
