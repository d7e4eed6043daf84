INSERT INTO container_groups (id, subscription, resource_group, name, superseded, generation, state, operation, address, document, fault, view, observed_at)
VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $8, $9, '', '', 0)
