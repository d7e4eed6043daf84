SELECT kind, doc FROM experiment_definitions WHERE title = $1
