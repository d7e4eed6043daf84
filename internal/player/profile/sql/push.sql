SELECT endpoint, platform, token, added FROM player_push WHERE title = $1 AND player = $2 ORDER BY added, endpoint
