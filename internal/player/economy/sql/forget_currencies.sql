DELETE FROM economy_currencies WHERE title = $1
