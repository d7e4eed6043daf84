DELETE FROM container_operations WHERE id IN (SELECT id FROM container_operations WHERE ended > 0 AND ended < $1 ORDER BY ended LIMIT $2)
