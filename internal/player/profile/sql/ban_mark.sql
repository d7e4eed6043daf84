SELECT version FROM player_ban_mark WHERE id = 1
