-- What a game keeps about its players. Times are milliseconds since 1970 in UTC.
-- A row whose player is the empty string belongs to the title itself.

-- One row for each kind of data that a player has: 0 client data, 1 read-only
-- data, 2 internal data, 3 objects, 4 events. version counts the calls that
-- changed it (for events: the number of the last one), entries and bytes are
-- what is stored of that kind.
CREATE TABLE player_data_heads (
  title   TEXT COLLATE "C" NOT NULL,
  player  TEXT COLLATE "C" NOT NULL,
  kind    BIGINT NOT NULL,
  version BIGINT NOT NULL,
  entries BIGINT NOT NULL,
  bytes   BIGINT NOT NULL,
  PRIMARY KEY (title, player, kind)
)
--;
-- User data of kinds 0 to 2. A value is text of any kind, zero bytes too.
CREATE TABLE player_data (
  title   TEXT COLLATE "C" NOT NULL,
  player  TEXT COLLATE "C" NOT NULL,
  kind    BIGINT NOT NULL,
  name    TEXT COLLATE "C" NOT NULL,
  value   BYTEA NOT NULL,
  public  BIGINT NOT NULL, -- 1: other players may read it
  updated BIGINT NOT NULL,
  PRIMARY KEY (title, player, kind, name)
)
--;
-- Statistics. past is 0 in the row of the newest version that a player has of a
-- statistic, 1 in older ones, so that what a sign-in reads lies together. The
-- value is kept with its sign changed: one ascending index is then the order of
-- every leaderboard, highest value first, among equals who was there first.
CREATE TABLE player_statistics (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  past     BIGINT NOT NULL,
  name     TEXT COLLATE "C" NOT NULL,
  version  BIGINT NOT NULL,
  negative BIGINT NOT NULL, -- the value times -1
  updated  BIGINT NOT NULL,
  PRIMARY KEY (title, player, past, name, version)
)
--;
-- The condition is always true. Only statements that repeat it can be planned
-- with this index: it also holds the player, and before a new table's statistics
-- are known, looking for one row of a player would walk over everybody's.
CREATE INDEX player_statistics_board ON player_statistics (title, name, version, negative, updated, player) WHERE updated >= 0
--;
-- The statistics of a title. version is the one that began at activated; from
-- since on every boundary of reset (Never, Hour, Day, Week, Month) begins another.
CREATE TABLE player_statistic_definitions (
  title       TEXT COLLATE "C" NOT NULL,
  name        TEXT COLLATE "C" NOT NULL,
  folded      TEXT COLLATE "C" NOT NULL, -- the name in lower case
  aggregation TEXT NOT NULL, -- Last, Min, Max, Sum
  reset       TEXT NOT NULL,
  version     BIGINT NOT NULL,
  activated   BIGINT NOT NULL,
  since       BIGINT NOT NULL,
  PRIMARY KEY (title, name)
)
--;
CREATE UNIQUE INDEX player_statistic_definitions_folded ON player_statistic_definitions (title, folded)
--;
-- What version, activated, since and reset of a definition were before, and are.
CREATE TABLE player_statistic_epochs (
  title     TEXT COLLATE "C" NOT NULL,
  name      TEXT COLLATE "C" NOT NULL,
  version   BIGINT NOT NULL,
  since     BIGINT NOT NULL,
  activated BIGINT NOT NULL,
  reset     TEXT NOT NULL,
  PRIMARY KEY (title, name, version, since)
)
--;
CREATE TABLE player_objects (
  title   TEXT COLLATE "C" NOT NULL,
  player  TEXT COLLATE "C" NOT NULL,
  name    TEXT COLLATE "C" NOT NULL,
  object  BYTEA NOT NULL, -- compact JSON
  updated BIGINT NOT NULL,
  PRIMARY KEY (title, player, name)
)
--;
CREATE TABLE player_events (
  title     TEXT COLLATE "C" NOT NULL,
  player    TEXT COLLATE "C" NOT NULL,
  number    BIGINT NOT NULL, -- counts the events of a player
  id        TEXT NOT NULL,
  name      TEXT NOT NULL,
  body      BYTEA NOT NULL, -- compact JSON
  happened  BIGINT NOT NULL,
  written   BIGINT NOT NULL,
  by_server BIGINT NOT NULL,
  PRIMARY KEY (title, player, number)
)
--;
-- What a player's device said of itself last.
CREATE TABLE player_devices (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  info     BYTEA NOT NULL, -- compact JSON
  reported BIGINT NOT NULL,
  PRIMARY KEY (title, player)
)
