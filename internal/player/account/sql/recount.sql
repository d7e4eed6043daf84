INSERT INTO player_counts (title, n) SELECT $1, count(*) FROM players WHERE title = $1
ON CONFLICT (title) DO UPDATE SET n = excluded.n
