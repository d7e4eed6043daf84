INSERT INTO player_statistic_definitions (title, name, folded, aggregation, reset, version, activated, since)
VALUES ($1, $2, $3, $4, $5, 0, $6, $6) ON CONFLICT DO NOTHING
