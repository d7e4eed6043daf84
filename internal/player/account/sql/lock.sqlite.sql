SELECT account, origination, username, email, password, display_name, streaming_id, streaming_name, custom_id, server_custom_id, avatar_url, secret, openids, banned_until, created, last_login, previous_login
FROM players WHERE title = $1 AND id = $2
