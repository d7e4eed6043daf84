INSERT INTO titles (id, version, doc) VALUES ($1, 1, $2)
ON CONFLICT (id) DO UPDATE SET version = titles.version + 1, doc = excluded.doc
