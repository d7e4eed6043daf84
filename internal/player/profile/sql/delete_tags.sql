DELETE FROM player_tags WHERE title = $1 AND player = $2
