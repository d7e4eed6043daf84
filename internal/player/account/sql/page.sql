SELECT id FROM players WHERE title = $1 AND id > $2 ORDER BY id LIMIT $3
