DELETE FROM player_subscriptions WHERE title = $1 AND player = $2 AND membership = $3
