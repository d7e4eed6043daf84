SELECT tag FROM player_tags WHERE title = $1 AND player = $2 ORDER BY tag
