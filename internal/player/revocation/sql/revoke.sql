-- A later revocation contains an earlier one.
INSERT INTO player_revocations (title, player, signed_in_before, forget_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (title, player) DO UPDATE SET signed_in_before = excluded.signed_in_before, forget_at = excluded.forget_at
WHERE excluded.signed_in_before > player_revocations.signed_in_before
