DELETE FROM container_groups WHERE id = $1 AND state = 'Deleting'
