SELECT version, chosen, items FROM economy_catalogs WHERE title = $1 ORDER BY version
