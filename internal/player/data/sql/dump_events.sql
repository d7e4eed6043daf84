SELECT number, id, name, body, happened, written, by_server FROM player_events WHERE title = $1 AND player = $2 ORDER BY number
