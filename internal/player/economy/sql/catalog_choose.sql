UPDATE economy_catalogs SET chosen = CASE WHEN version = $2 THEN 1 ELSE 0 END WHERE title = $1
