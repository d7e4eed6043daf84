SELECT s.name, s.version, s.negative, d.version, d.activated, d.since, d.reset
FROM player_statistics s JOIN player_statistic_definitions d ON d.title = s.title AND d.name = s.name
WHERE s.title = $1 AND s.player = $2 AND s.past = 0 AND s.name = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($3 AS jsonb)))) ORDER BY s.name
