UPDATE player_statistics SET past = 1 WHERE title = $1 AND player = $2 AND past = 0 AND name = $3
