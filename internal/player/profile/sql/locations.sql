SELECT continent, country, city, latitude, longitude, seen FROM player_locations
WHERE title = $1 AND player = $2 ORDER BY seen DESC, continent, country, city
