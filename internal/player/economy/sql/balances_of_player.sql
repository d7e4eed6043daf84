SELECT holder, code, born, amount, progress, at FROM economy_balances
WHERE title = $1 AND player = $2 ORDER BY holder, code
