-- A later revocation contains an earlier one.
INSERT INTO player_revocations (title, player, issued_before, forget_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, player) DO UPDATE SET issued_before = excluded.issued_before, forget_at = excluded.forget_at
WHERE excluded.issued_before > player_revocations.issued_before
