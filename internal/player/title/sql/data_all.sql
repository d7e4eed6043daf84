SELECT key, value FROM title_data WHERE title = $1 AND internal = $2 ORDER BY key
