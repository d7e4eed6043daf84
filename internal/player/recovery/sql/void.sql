UPDATE player_recoveries SET used = $3 WHERE title = $1 AND player = $2 AND used = 0
