DELETE FROM experiment_exposures WHERE title = $1
