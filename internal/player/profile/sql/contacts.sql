SELECT name, address, status, token_hash, token_expires FROM player_contacts WHERE title = $1 AND player = $2 ORDER BY name
