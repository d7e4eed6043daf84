-- The ban that keeps a player, or whoever comes from an address, out the longest.
SELECT id, player, created, expires, reason, address, active FROM player_bans
WHERE title = $1 AND active = 1 AND expires > $4 AND (player = $2 OR address = $3)
ORDER BY expires DESC, created, id LIMIT 1
