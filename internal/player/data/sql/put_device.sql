INSERT INTO player_devices (title, player, info, reported) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, player) DO UPDATE SET info = excluded.info, reported = excluded.reported
