INSERT INTO server_names (name, subscription, resource_group, record) VALUES ($1, $2, $3, $4)
