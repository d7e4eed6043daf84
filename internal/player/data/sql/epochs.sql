SELECT version, activated, since, reset FROM player_statistic_epochs WHERE title = $1 AND name = $2 ORDER BY version, since
