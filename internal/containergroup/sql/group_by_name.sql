SELECT id, generation, state, operation, address, document, fault, view, observed_at FROM container_groups WHERE subscription = $1 AND name = $2 AND resource_group = $3 AND superseded = 0
