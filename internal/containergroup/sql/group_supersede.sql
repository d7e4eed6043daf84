UPDATE container_groups SET superseded = 1 WHERE id = $1
