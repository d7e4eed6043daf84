SELECT id, display_name FROM players WHERE title = $1 AND id IN (SELECT value FROM json_each($2)) AND display_name IS NOT NULL
