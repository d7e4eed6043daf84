UPDATE player_statistic_definitions SET aggregation = $3, version = $4, activated = $5, since = $6, reset = $7
WHERE title = $1 AND name = $2
