SELECT title, player, name, token_expires FROM player_contacts WHERE token_hash = $1
