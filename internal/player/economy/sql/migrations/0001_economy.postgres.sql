-- Times are milliseconds since 1970 in UTC. Everything begins with the title,
-- and what a player has with title and player, so that it lies together.

-- What a currency was like from a time on: one row for each change. born is the
-- time at which the currency was added.
CREATE TABLE economy_currencies (
  title    TEXT COLLATE "C" NOT NULL,
  code     TEXT COLLATE "C" NOT NULL,
  since    BIGINT NOT NULL,
  born     BIGINT NOT NULL,
  name     TEXT NOT NULL,
  deposit  BIGINT NOT NULL, -- of a player who is created in this time
  rate     BIGINT NOT NULL, -- units a day
  maximum  BIGINT NOT NULL, -- where refilling stops
  PRIMARY KEY (title, code, since)
)
--;
-- A catalog is one document: it is always read whole.
CREATE TABLE economy_catalogs (
  title   TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  chosen  BIGINT NOT NULL, -- 1: the title's default catalog
  items   TEXT NOT NULL, -- JSON
  PRIMARY KEY (title, version)
)
--;
-- Balances that were ever written; others follow from the currency alone.
CREATE TABLE economy_balances (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  holder   TEXT COLLATE "C" NOT NULL, -- a character, or '' for the player
  code     TEXT COLLATE "C" NOT NULL,
  born     BIGINT NOT NULL, -- of the currency; a row of an earlier one counts nothing
  amount   BIGINT NOT NULL,
  progress BIGINT NOT NULL, -- of the next unit, in 1/86400000
  at       BIGINT NOT NULL, -- when amount and progress were so
  PRIMARY KEY (title, player, holder, code)
)
--;
-- Ids of items grow with time.
CREATE TABLE economy_items (
  title        TEXT COLLATE "C" NOT NULL,
  player       TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  holder       TEXT COLLATE "C" NOT NULL, -- a character, or '' for the player
  item         TEXT NOT NULL,
  catalog      TEXT NOT NULL,
  class        TEXT,
  name         TEXT,
  annotation   TEXT,
  parent       TEXT, -- item id of the bundle it came in
  contents     TEXT, -- JSON: item ids that came with it
  custom       TEXT, -- JSON: custom data
  uses         BIGINT, -- null: it is not used up
  expires      BIGINT, -- null: never
  period_group TEXT, -- items that expire together
  bought       BIGINT NOT NULL,
  currency     TEXT, -- what it was bought with
  price        BIGINT NOT NULL,
  PRIMARY KEY (title, player, id)
)
--;
CREATE TABLE economy_characters (
  title   TEXT COLLATE "C" NOT NULL,
  player  TEXT COLLATE "C" NOT NULL,
  id      TEXT COLLATE "C" NOT NULL,
  name    TEXT NOT NULL,
  type    TEXT NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (title, player, id)
)
