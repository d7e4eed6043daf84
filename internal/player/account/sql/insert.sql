INSERT INTO players (title, id, account, origination, username, email, password, display_name, streaming_id, streaming_name, custom_id, server_custom_id, avatar_url, secret, openids, banned_until, created, last_login, previous_login)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
ON CONFLICT (title, id) DO NOTHING
