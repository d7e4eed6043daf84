DELETE FROM economy_catalogs WHERE title = $1
