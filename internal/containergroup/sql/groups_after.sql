SELECT id FROM container_groups WHERE id > $1 ORDER BY id LIMIT $2
