DELETE FROM player_push WHERE title = $1 AND player = $2 AND endpoint NOT IN (
  SELECT endpoint FROM player_push WHERE title = $1 AND player = $2 ORDER BY added DESC, endpoint LIMIT $3)
