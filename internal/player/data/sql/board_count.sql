SELECT count(*) FROM (SELECT 1 AS one FROM player_statistics
WHERE title = $1 AND name = $2 AND version = $3 AND updated >= 0 AND (negative, updated, player) >= ($4, $5, $6) AND (negative, updated, player) < ($7, $8, $9)
LIMIT $10) AS found
