SELECT COUNT(*), MIN(created) FROM player_recoveries WHERE title = $1 AND player = $2 AND created > $3
