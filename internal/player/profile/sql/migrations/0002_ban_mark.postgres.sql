-- One row that counts the changes of bans of addresses, so that a node can look
-- for one at little cost.
CREATE TABLE player_ban_mark (
  id      BIGINT NOT NULL PRIMARY KEY, -- 1
  version BIGINT NOT NULL
)
