SELECT id, generation, state, operation, address, document, fault, view, observed_at, resource_group, name FROM container_groups
WHERE subscription = $1 AND resource_group = $2 AND superseded = 0 AND name > $3
ORDER BY name LIMIT $4
