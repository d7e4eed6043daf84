INSERT INTO container_operations (id, subscription, group_id, resource, kind, status, started, ended, error)
VALUES ($1, $2, $3, $4, $5, 'InProgress', $6, 0, '')
