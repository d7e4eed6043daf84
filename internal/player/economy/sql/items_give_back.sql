UPDATE economy_items SET holder = '' WHERE title = $1 AND player = $2 AND holder = $3
