UPDATE container_groups SET state = $3, fault = $4, view = $5, observed_at = $6 WHERE id = $1 AND generation = $2 AND state <> 'Deleting'
