DELETE FROM player_recoveries WHERE title = $1 AND player = $2
