UPDATE container_groups SET view = $3, observed_at = $4 WHERE id = $1 AND generation = $2 AND state <> 'Deleting'
