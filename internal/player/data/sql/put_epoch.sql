INSERT INTO player_statistic_epochs (title, name, version, since, activated, reset) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (title, name, version, since) DO UPDATE SET activated = excluded.activated, reset = excluded.reset
