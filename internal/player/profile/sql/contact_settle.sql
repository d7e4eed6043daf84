-- Ends the wait for a token: the address is confirmed, or its mail was not sent.
UPDATE player_contacts SET status = $2, token_hash = NULL, token_expires = 0 WHERE token_hash = $1
