UPDATE players SET banned_until = $3 WHERE title = $1 AND id = $2
