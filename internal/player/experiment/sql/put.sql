INSERT INTO experiment_definitions (title, kind, id, doc) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, kind, id) DO UPDATE SET doc = excluded.doc
