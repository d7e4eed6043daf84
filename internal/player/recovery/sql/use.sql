-- Of several at the same time one finds the token unused.
UPDATE player_recoveries SET used = $2 WHERE hash = $1 AND used = 0
