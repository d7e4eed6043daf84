INSERT INTO player_tags (title, player, tag) VALUES ($1, $2, $3) ON CONFLICT (title, player, tag) DO NOTHING
