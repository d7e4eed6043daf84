SELECT negative, updated FROM player_statistics WHERE title = $1 AND player = $2 AND past IN (0, 1) AND name = $3 AND version = $4
