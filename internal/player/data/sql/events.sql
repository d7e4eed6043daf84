SELECT number, id, name, body, happened, written, by_server FROM player_events
WHERE title = $1 AND player = $2 AND number < $3 AND written >= $4 ORDER BY number DESC LIMIT $5
