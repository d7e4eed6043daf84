SELECT id, group_id, resource, kind, status, started, ended, error FROM container_operations WHERE id = $1 AND subscription = $2
