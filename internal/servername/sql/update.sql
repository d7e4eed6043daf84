UPDATE server_names SET record = $4 WHERE name = $1 AND subscription = $2 AND resource_group = $3
