-- Times are milliseconds since 1970 in UTC. The player '' is the title itself.
CREATE TABLE player_revocations (
  title            TEXT NOT NULL,
  player           TEXT NOT NULL, -- PlatformId
  signed_in_before BIGINT NOT NULL, -- proofs of an earlier sign-in are not good
  forget_at        BIGINT NOT NULL, -- by then all of them have expired
  PRIMARY KEY (title, player)
) WITHOUT ROWID
--;
CREATE INDEX player_revocations_new ON player_revocations (signed_in_before)
--;
CREATE INDEX player_revocations_old ON player_revocations (forget_at)
