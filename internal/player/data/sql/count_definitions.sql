SELECT count(*) FROM player_statistic_definitions WHERE title = $1
