INSERT INTO player_events (title, player, number, id, name, body, happened, written, by_server)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
