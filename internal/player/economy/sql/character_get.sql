SELECT created FROM economy_characters WHERE title = $1 AND player = $2 AND id = $3
