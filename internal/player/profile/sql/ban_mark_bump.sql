INSERT INTO player_ban_mark (id, version) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET version = player_ban_mark.version + 1
