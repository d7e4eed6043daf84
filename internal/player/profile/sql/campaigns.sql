SELECT attributed, platform, campaign FROM player_campaigns WHERE title = $1 AND player = $2 ORDER BY attributed, platform, campaign
