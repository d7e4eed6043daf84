SELECT n FROM player_counts WHERE title = $1
