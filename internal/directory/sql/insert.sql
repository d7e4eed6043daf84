INSERT INTO directory_groups (id, tenant, deleted_at, record) VALUES ($1, $2, 0, $3)
