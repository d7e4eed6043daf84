DELETE FROM player_statistic_definitions WHERE title = $1
