SELECT id, display_name FROM players WHERE title = $1 AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS jsonb)))) AND display_name IS NOT NULL
