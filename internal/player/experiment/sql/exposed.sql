INSERT INTO experiment_exposures (title, player, doc) VALUES ($1, $2, $3)
ON CONFLICT (title, player) DO UPDATE SET doc = excluded.doc
