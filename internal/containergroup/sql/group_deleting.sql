UPDATE container_groups SET state = 'Deleting', operation = $2, document = $3 WHERE id = $1
