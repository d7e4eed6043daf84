-- Everything a profile shows that is not the account itself. Times are
-- milliseconds since 1970 in UTC. A player's rows lie together.
CREATE TABLE player_tags (
  title  TEXT COLLATE "C" NOT NULL,
  player TEXT COLLATE "C" NOT NULL,
  tag    TEXT COLLATE "C" NOT NULL, -- without its namespace
  PRIMARY KEY (title, player, tag)
)
--;
CREATE TABLE player_contacts (
  title         TEXT COLLATE "C" NOT NULL,
  player        TEXT COLLATE "C" NOT NULL,
  name          TEXT COLLATE "C" NOT NULL,
  address       TEXT NOT NULL,
  status        TEXT NOT NULL,
  token_hash    BYTEA, -- SHA-256 of the token that was mailed; null: none waits
  token_expires BIGINT NOT NULL,
  PRIMARY KEY (title, player, name)
)
--;
CREATE UNIQUE INDEX player_contacts_token ON player_contacts (token_hash) WHERE token_hash IS NOT NULL
--;
-- How many mails a player caused since when: outlives the address.
CREATE TABLE player_contact_mails (
  title  TEXT COLLATE "C" NOT NULL,
  player TEXT COLLATE "C" NOT NULL,
  since  BIGINT NOT NULL,
  n      BIGINT NOT NULL,
  PRIMARY KEY (title, player)
)
--;
CREATE TABLE player_locations (
  title     TEXT COLLATE "C" NOT NULL,
  player    TEXT COLLATE "C" NOT NULL,
  continent TEXT COLLATE "C" NOT NULL,
  country   TEXT COLLATE "C" NOT NULL,
  city      TEXT COLLATE "C" NOT NULL, -- may be empty
  latitude  DOUBLE PRECISION, -- both or neither
  longitude DOUBLE PRECISION,
  seen      BIGINT NOT NULL,
  PRIMARY KEY (title, player, continent, country, city)
)
--;
CREATE TABLE player_memberships (
  title      TEXT COLLATE "C" NOT NULL,
  player     TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  expiration BIGINT NOT NULL,
  override   BIGINT, -- null: no override is set
  PRIMARY KEY (title, player, id)
)
--;
CREATE TABLE player_subscriptions (
  title      TEXT COLLATE "C" NOT NULL,
  player     TEXT COLLATE "C" NOT NULL,
  membership TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  item       TEXT NOT NULL,
  provider   TEXT NOT NULL,
  initial    BIGINT NOT NULL,
  expiration BIGINT NOT NULL,
  status     TEXT NOT NULL,
  PRIMARY KEY (title, player, membership, id)
)
--;
CREATE TABLE player_campaigns (
  title      TEXT COLLATE "C" NOT NULL,
  player     TEXT COLLATE "C" NOT NULL,
  attributed BIGINT NOT NULL,
  platform   TEXT COLLATE "C" NOT NULL,
  campaign   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (title, player, attributed, platform, campaign)
)
--;
CREATE TABLE player_push (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  endpoint TEXT COLLATE "C" NOT NULL,
  platform TEXT NOT NULL,
  token    TEXT NOT NULL, -- of the device
  added    BIGINT NOT NULL,
  PRIMARY KEY (title, player, endpoint)
)
--;
CREATE TABLE player_purchases (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  receipt  TEXT COLLATE "C" NOT NULL,
  currency TEXT NOT NULL,
  amount   BIGINT NOT NULL, -- hundredths of the currency's unit
  usd      BIGINT NOT NULL, -- the same in US cents
  at       BIGINT NOT NULL,
  PRIMARY KEY (title, player, receipt)
)
--;
CREATE UNIQUE INDEX player_purchases_receipt ON player_purchases (title, receipt)
--;
CREATE TABLE player_values (
  title    TEXT COLLATE "C" NOT NULL,
  player   TEXT COLLATE "C" NOT NULL,
  currency TEXT COLLATE "C" NOT NULL,
  total    BIGINT NOT NULL,
  usd      BIGINT NOT NULL,
  PRIMARY KEY (title, player, currency)
)
--;
CREATE TABLE player_bans (
  title   TEXT COLLATE "C" NOT NULL,
  player  TEXT COLLATE "C" NOT NULL,
  id      TEXT COLLATE "C" NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL, -- the greatest time there is: never
  reason  TEXT NOT NULL,
  address TEXT COLLATE "C", -- null: the ban is no ban of an address
  active  BIGINT NOT NULL, -- 0: revoked
  PRIMARY KEY (title, player, id)
)
--;
CREATE UNIQUE INDEX player_bans_id ON player_bans (title, id)
--;
CREATE INDEX player_bans_address ON player_bans (title, address, active, expires) WHERE address IS NOT NULL
