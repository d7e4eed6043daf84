-- Tokens that were mailed. Times are milliseconds since 1970 in UTC. A player who
-- does not exist stands for an address that nobody has.
CREATE TABLE player_recoveries (
  title     TEXT COLLATE "C" NOT NULL,
  player    TEXT COLLATE "C" NOT NULL, -- PlatformId
  hash      BYTEA NOT NULL, -- SHA-256 of the token
  address   BYTEA NOT NULL, -- SHA-256 of the key of the address it was mailed to
  created   BIGINT NOT NULL,
  expires   BIGINT NOT NULL,
  used      BIGINT NOT NULL, -- when a token of the player set a password; 0: none has
  forget_at BIGINT NOT NULL,
  PRIMARY KEY (title, player, hash)
)
--;
CREATE UNIQUE INDEX player_recoveries_hash ON player_recoveries (hash)
--;
CREATE INDEX player_recoveries_old ON player_recoveries (forget_at)
