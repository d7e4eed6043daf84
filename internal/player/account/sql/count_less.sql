UPDATE player_counts SET n = n - 1 WHERE title = $1 AND n > 0
