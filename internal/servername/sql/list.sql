SELECT name, record FROM server_names
WHERE subscription = $1 AND ($2 = '' OR resource_group = $2) AND name > $3
ORDER BY name LIMIT $4
