SELECT id, generation, state, operation, address, document, fault, view, observed_at FROM container_groups WHERE id = $1
