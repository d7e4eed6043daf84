DELETE FROM player_revocations WHERE (title, player) IN
  (SELECT title, player FROM player_revocations WHERE forget_at <= $1 LIMIT 1000)
