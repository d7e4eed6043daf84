DELETE FROM economy_items WHERE title = $1 AND player = $2
