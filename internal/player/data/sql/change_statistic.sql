UPDATE player_statistics SET negative = $5, updated = $6 WHERE title = $1 AND player = $2 AND past = 0 AND name = $3 AND version = $4
