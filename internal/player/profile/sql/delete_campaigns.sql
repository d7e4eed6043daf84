DELETE FROM player_campaigns WHERE title = $1 AND player = $2
