INSERT INTO player_locations (title, player, continent, country, city, latitude, longitude, seen)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (title, player, continent, country, city) DO UPDATE SET
  latitude = excluded.latitude, longitude = excluded.longitude, seen = excluded.seen
