SELECT count(*) FROM economy_characters WHERE title = $1 AND player = $2
