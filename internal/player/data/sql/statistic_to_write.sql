SELECT d.aggregation, d.version, d.activated, d.since, d.reset, s.version, s.negative
FROM player_statistic_definitions d LEFT JOIN player_statistics s
  ON s.title = d.title AND s.player = $2 AND s.past = 0 AND s.name = d.name
WHERE d.title = $1 AND d.name = $3
