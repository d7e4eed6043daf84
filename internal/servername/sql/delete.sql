DELETE FROM server_names WHERE name = $1 AND subscription = $2 AND resource_group = $3
