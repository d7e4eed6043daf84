SELECT receipt, currency, amount, usd, at FROM player_purchases WHERE title = $1 AND player = $2 ORDER BY at, receipt
