SELECT record FROM directory_groups WHERE id = $1 AND tenant = $2 AND deleted_at = 0
