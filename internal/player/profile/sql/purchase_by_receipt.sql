SELECT player, currency, amount, usd FROM player_purchases WHERE title = $1 AND receipt = $2
