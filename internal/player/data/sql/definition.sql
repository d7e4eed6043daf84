SELECT aggregation, version, activated, since, reset FROM player_statistic_definitions WHERE title = $1 AND name = $2
