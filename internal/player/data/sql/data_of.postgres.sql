SELECT name, value, public, updated FROM player_data WHERE title = $1 AND player = $2 AND kind = $3 AND name = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($4 AS jsonb)))) ORDER BY name
