DELETE FROM economy_balances WHERE title = $1 AND player = $2
