DELETE FROM experiment_definitions WHERE title = $1
