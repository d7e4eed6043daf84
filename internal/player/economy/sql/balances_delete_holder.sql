DELETE FROM economy_balances WHERE title = $1 AND player = $2 AND holder = $3
