UPDATE container_groups SET generation = $2, state = $3, operation = $4, address = $5, document = $6, fault = $7 WHERE id = $1
