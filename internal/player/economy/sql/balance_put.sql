INSERT INTO economy_balances (title, player, holder, code, born, amount, progress, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (title, player, holder, code)
DO UPDATE SET born = excluded.born, amount = excluded.amount, progress = excluded.progress, at = excluded.at
