-- Everything a profile shows that is not the account itself. Times are
-- milliseconds since 1970 in UTC. A player's rows lie together.
CREATE TABLE player_tags (
  title  TEXT NOT NULL,
  player TEXT NOT NULL,
  tag    TEXT NOT NULL, -- without its namespace
  PRIMARY KEY (title, player, tag)
) WITHOUT ROWID
--;
CREATE TABLE player_contacts (
  title         TEXT NOT NULL,
  player        TEXT NOT NULL,
  name          TEXT NOT NULL,
  address       TEXT NOT NULL,
  status        TEXT NOT NULL,
  token_hash    BYTEA, -- SHA-256 of the token that was mailed; null: none waits
  token_expires BIGINT NOT NULL,
  PRIMARY KEY (title, player, name)
) WITHOUT ROWID
--;
CREATE UNIQUE INDEX player_contacts_token ON player_contacts (token_hash) WHERE token_hash IS NOT NULL
--;
-- How many mails a player caused since when: outlives the address.
CREATE TABLE player_contact_mails (
  title  TEXT NOT NULL,
  player TEXT NOT NULL,
  since  BIGINT NOT NULL,
  n      BIGINT NOT NULL,
  PRIMARY KEY (title, player)
) WITHOUT ROWID
--;
CREATE TABLE player_locations (
  title     TEXT NOT NULL,
  player    TEXT NOT NULL,
  continent TEXT NOT NULL,
  country   TEXT NOT NULL,
  city      TEXT NOT NULL, -- may be empty
  latitude  DOUBLE PRECISION, -- both or neither
  longitude DOUBLE PRECISION,
  seen      BIGINT NOT NULL,
  PRIMARY KEY (title, player, continent, country, city)
) WITHOUT ROWID
--;
CREATE TABLE player_memberships (
  title      TEXT NOT NULL,
  player     TEXT NOT NULL,
  id         TEXT NOT NULL,
  expiration BIGINT NOT NULL,
  override   BIGINT, -- null: no override is set
  PRIMARY KEY (title, player, id)
) WITHOUT ROWID
--;
CREATE TABLE player_subscriptions (
  title      TEXT NOT NULL,
  player     TEXT NOT NULL,
  membership TEXT NOT NULL,
  id         TEXT NOT NULL,
  item       TEXT NOT NULL,
  provider   TEXT NOT NULL,
  initial    BIGINT NOT NULL,
  expiration BIGINT NOT NULL,
  status     TEXT NOT NULL,
  PRIMARY KEY (title, player, membership, id)
) WITHOUT ROWID
--;
CREATE TABLE player_campaigns (
  title      TEXT NOT NULL,
  player     TEXT NOT NULL,
  attributed BIGINT NOT NULL,
  platform   TEXT NOT NULL,
  campaign   TEXT NOT NULL,
  PRIMARY KEY (title, player, attributed, platform, campaign)
) WITHOUT ROWID
--;
CREATE TABLE player_push (
  title    TEXT NOT NULL,
  player   TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  platform TEXT NOT NULL,
  token    TEXT NOT NULL, -- of the device
  added    BIGINT NOT NULL,
  PRIMARY KEY (title, player, endpoint)
) WITHOUT ROWID
--;
CREATE TABLE player_purchases (
  title    TEXT NOT NULL,
  player   TEXT NOT NULL,
  receipt  TEXT NOT NULL,
  currency TEXT NOT NULL,
  amount   BIGINT NOT NULL, -- hundredths of the currency's unit
  usd      BIGINT NOT NULL, -- the same in US cents
  at       BIGINT NOT NULL,
  PRIMARY KEY (title, player, receipt)
) WITHOUT ROWID
--;
CREATE UNIQUE INDEX player_purchases_receipt ON player_purchases (title, receipt)
--;
CREATE TABLE player_values (
  title    TEXT NOT NULL,
  player   TEXT NOT NULL,
  currency TEXT NOT NULL,
  total    BIGINT NOT NULL,
  usd      BIGINT NOT NULL,
  PRIMARY KEY (title, player, currency)
) WITHOUT ROWID
--;
CREATE TABLE player_bans (
  title   TEXT NOT NULL,
  player  TEXT NOT NULL,
  id      TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL, -- the greatest time there is: never
  reason  TEXT NOT NULL,
  address TEXT, -- null: the ban is no ban of an address
  active  BIGINT NOT NULL, -- 0: revoked
  PRIMARY KEY (title, player, id)
) WITHOUT ROWID
--;
CREATE UNIQUE INDEX player_bans_id ON player_bans (title, id)
--;
CREATE INDEX player_bans_address ON player_bans (title, address, active, expires) WHERE address IS NOT NULL
