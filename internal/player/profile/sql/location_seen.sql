SELECT seen FROM player_locations
WHERE title = $1 AND player = $2 AND continent = $3 AND country = $4 AND city = $5
