INSERT INTO player_contact_mails (title, player, since, n) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, player) DO UPDATE SET since = excluded.since, n = excluded.n
