DELETE FROM player_devices WHERE title = $1 AND player = $2
