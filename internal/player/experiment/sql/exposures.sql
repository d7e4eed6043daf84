SELECT doc FROM experiment_exposures WHERE title = $1 AND player = $2
