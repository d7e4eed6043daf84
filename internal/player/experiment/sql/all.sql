SELECT title, kind, doc FROM experiment_definitions
