UPDATE directory_groups SET record = $3 WHERE id = $1 AND tenant = $2 AND deleted_at = 0
