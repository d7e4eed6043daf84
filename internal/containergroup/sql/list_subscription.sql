SELECT id, generation, state, operation, address, document, fault, view, observed_at, resource_group, name FROM container_groups
WHERE subscription = $1 AND superseded = 0 AND (name, resource_group) > ($2, $3)
ORDER BY name, resource_group LIMIT $4
