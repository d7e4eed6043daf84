-- What else names a player, what it protects its requests with, and until when it
-- is banned (0: it is not). The secret is sealed; openids is a JSON list of
-- connections, issuers and subjects.
ALTER TABLE players ADD COLUMN custom_id TEXT
--;
ALTER TABLE players ADD COLUMN server_custom_id TEXT
--;
ALTER TABLE players ADD COLUMN avatar_url TEXT
--;
ALTER TABLE players ADD COLUMN secret TEXT
--;
ALTER TABLE players ADD COLUMN openids TEXT
--;
ALTER TABLE players ADD COLUMN banned_until BIGINT NOT NULL DEFAULT 0
