-- The ban that keeps a player, or whoever comes from an address, out the longest.
-- Two searches, because a title may have very many bans.
SELECT id, player, created, expires, reason, address, active FROM (
  SELECT id, player, created, expires, reason, address, active FROM player_bans
  WHERE title = $1 AND player = $2 AND active = 1 AND expires > $4
  UNION ALL
  SELECT id, player, created, expires, reason, address, active FROM player_bans
  WHERE title = $1 AND address = $3 AND active = 1 AND expires > $4
) AS b ORDER BY expires DESC, created, id LIMIT 1
