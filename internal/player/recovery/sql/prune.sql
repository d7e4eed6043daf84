-- A few at a time: each new token makes more room than it takes.
DELETE FROM player_recoveries WHERE (title, player, hash) IN
  (SELECT title, player, hash FROM player_recoveries WHERE forget_at <= $1 LIMIT 10)
