UPDATE players SET avatar_url = $3 WHERE title = $1 AND id = $2
