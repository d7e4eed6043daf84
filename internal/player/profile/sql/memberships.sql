SELECT m.id, m.expiration, m.override, s.id, s.item, s.provider, s.initial, s.expiration, s.status
FROM player_memberships m
LEFT JOIN player_subscriptions s ON s.title = m.title AND s.player = m.player AND s.membership = m.id
WHERE m.title = $1 AND m.player = $2 ORDER BY m.id, s.id
