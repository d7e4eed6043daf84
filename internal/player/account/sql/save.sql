UPDATE players SET username = $3, email = $4, password = $5, display_name = $6, streaming_id = $7, streaming_name = $8, custom_id = $9,
  server_custom_id = $10, avatar_url = $11, secret = $12, openids = $13, banned_until = $14
WHERE title = $1 AND id = $2
