UPDATE player_bans SET expires = $4, reason = $5, address = $6, active = $7 WHERE title = $1 AND player = $2 AND id = $3
