SELECT title, player, signed_in_before FROM player_revocations WHERE signed_in_before > $1 AND forget_at > $2
