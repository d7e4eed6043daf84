SELECT title, player, address, expires, used FROM player_recoveries WHERE hash = $1
