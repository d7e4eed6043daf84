UPDATE player_memberships SET override = $4 WHERE title = $1 AND player = $2 AND id = $3
