SELECT count(*) FROM player_memberships WHERE title = $1 AND player = $2 AND id <> $3
