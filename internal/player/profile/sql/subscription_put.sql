INSERT INTO player_subscriptions (title, player, membership, id, item, provider, initial, expiration, status)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
