INSERT INTO economy_currencies (title, code, since, born, name, deposit, rate, maximum)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (title, code, since) DO UPDATE SET name = excluded.name, deposit = excluded.deposit, rate = excluded.rate, maximum = excluded.maximum
