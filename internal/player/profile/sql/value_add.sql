INSERT INTO player_values (title, player, currency, total, usd) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (title, player, currency) DO UPDATE SET total = player_values.total + excluded.total, usd = player_values.usd + excluded.usd
