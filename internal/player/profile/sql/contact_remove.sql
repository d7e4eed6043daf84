DELETE FROM player_contacts WHERE title = $1 AND player = $2 AND name = $3
