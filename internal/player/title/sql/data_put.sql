INSERT INTO title_data (title, internal, key, value) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, internal, key) DO UPDATE SET value = excluded.value
