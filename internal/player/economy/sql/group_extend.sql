UPDATE economy_items SET expires = $6
WHERE title = $1 AND player = $2 AND holder = $3 AND period_group = $4 AND expires > $5
