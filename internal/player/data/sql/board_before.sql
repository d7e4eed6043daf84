SELECT player, negative, updated FROM player_statistics
WHERE title = $1 AND name = $2 AND version = $3 AND updated >= 0 AND (negative, updated, player) < ($4, $5, $6)
ORDER BY negative DESC, updated DESC, player DESC LIMIT $7
