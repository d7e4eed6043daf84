SELECT born, amount, progress, at FROM economy_balances
WHERE title = $1 AND player = $2 AND holder = $3 AND code = $4
