SELECT name, aggregation, version, activated, since, reset FROM player_statistic_definitions WHERE title = $1 ORDER BY name
