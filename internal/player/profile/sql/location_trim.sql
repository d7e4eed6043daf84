DELETE FROM player_locations WHERE title = $1 AND player = $2 AND (continent, country, city) NOT IN (
  SELECT continent, country, city FROM player_locations WHERE title = $1 AND player = $2
  ORDER BY seen DESC, continent, country, city LIMIT $3)
