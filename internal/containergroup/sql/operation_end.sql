UPDATE container_operations SET status = $2, ended = $3, error = $4 WHERE id = $1 AND status = 'InProgress'
