DELETE FROM player_statistics WHERE title = $1 AND player = $2
