-- Times are milliseconds since 1970 in UTC. Ids of players grow with time, so a
-- title's new players are stored side by side.
CREATE TABLE players (
  title          TEXT NOT NULL,
  id             TEXT NOT NULL, -- PlatformId
  account        TEXT NOT NULL, -- id of the title player account
  origination    TEXT NOT NULL,
  username       TEXT,
  email          TEXT,
  password       TEXT, -- PHC string
  display_name   TEXT,
  streaming_id   TEXT,
  streaming_name TEXT,
  created        BIGINT NOT NULL,
  last_login     BIGINT NOT NULL,
  previous_login BIGINT NOT NULL, -- 0: the last one was the first
  PRIMARY KEY (title, id)
) WITHOUT ROWID
--;
-- Players of the titles that have a limit, counted anew when a process first
-- creates one.
CREATE TABLE player_counts (
  title TEXT NOT NULL PRIMARY KEY,
  n     BIGINT NOT NULL
) WITHOUT ROWID
