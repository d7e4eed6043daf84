SELECT title, address, max(expires) FROM player_bans WHERE address IS NOT NULL AND active = 1 AND expires > $1
GROUP BY title, address ORDER BY title, address
