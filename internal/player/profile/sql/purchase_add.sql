INSERT INTO player_purchases (title, player, receipt, currency, amount, usd, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING
