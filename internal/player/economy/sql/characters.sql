SELECT id, name, type, created FROM economy_characters WHERE title = $1 AND player = $2 ORDER BY id
