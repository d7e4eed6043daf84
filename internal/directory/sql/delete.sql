UPDATE directory_groups SET deleted_at = $3 WHERE id = $1 AND tenant = $2 AND deleted_at = 0
