DELETE FROM player_statistic_epochs WHERE title = $1
