UPDATE players SET previous_login = last_login, last_login = $3, streaming_name = $4
WHERE title = $1 AND id = $2
RETURNING account, origination, username, email, display_name, streaming_id, created, previous_login
