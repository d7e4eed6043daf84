SELECT title, player, issued_before FROM player_revocations WHERE issued_before > $1 AND forget_at > $2
