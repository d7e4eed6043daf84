INSERT INTO player_campaigns (title, player, attributed, platform, campaign) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (title, player, attributed, platform, campaign) DO NOTHING
