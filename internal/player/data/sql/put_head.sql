INSERT INTO player_data_heads (title, player, kind, version, entries, bytes) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (title, player, kind) DO UPDATE SET version = excluded.version, entries = excluded.entries, bytes = excluded.bytes
