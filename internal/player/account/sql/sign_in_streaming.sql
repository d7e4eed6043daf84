UPDATE players SET previous_login = last_login, last_login = $3, streaming_name = $4
WHERE title = $1 AND id = $2
RETURNING account, origination, username, email, password, display_name, streaming_id, streaming_name, custom_id, server_custom_id, avatar_url, secret, openids, banned_until, created, last_login, previous_login
