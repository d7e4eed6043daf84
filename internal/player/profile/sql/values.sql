SELECT currency, total, usd FROM player_values WHERE title = $1 AND player = $2 ORDER BY currency
