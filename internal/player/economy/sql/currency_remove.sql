DELETE FROM economy_currencies WHERE title = $1 AND code = $2
