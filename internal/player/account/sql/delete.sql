DELETE FROM players WHERE title = $1 AND id = $2
