UPDATE economy_items SET holder = $4, custom = $5, uses = $6, expires = $7 WHERE title = $1 AND player = $2 AND id = $3
