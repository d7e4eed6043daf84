INSERT INTO players (title, id, account, origination, username, email, password, display_name, streaming_id, streaming_name, created, last_login, previous_login)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 0)
ON CONFLICT (title, id) DO NOTHING
