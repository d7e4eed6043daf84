SELECT count(*) FROM players WHERE title = $1
