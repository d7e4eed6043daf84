DELETE FROM player_recoveries WHERE title = $1
