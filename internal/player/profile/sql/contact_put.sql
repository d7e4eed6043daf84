INSERT INTO player_contacts (title, player, name, address, status, token_hash, token_expires)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (title, player, name) DO UPDATE SET address = excluded.address, status = excluded.status,
  token_hash = excluded.token_hash, token_expires = excluded.token_expires
