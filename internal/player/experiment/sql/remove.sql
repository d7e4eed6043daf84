DELETE FROM experiment_definitions WHERE title = $1 AND kind = $2 AND id = $3
