-- One title: its settings, keys and secrets as one sealed document, and the
-- number that grows with each change.
CREATE TABLE titles (
  id      TEXT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL,
  doc     TEXT NOT NULL
) WITHOUT ROWID
--;
-- What a title tells all its players, by key.
CREATE TABLE title_data (
  title    TEXT NOT NULL,
  internal BIGINT NOT NULL, -- 1: for servers only
  key      TEXT NOT NULL,
  value    TEXT NOT NULL,
  PRIMARY KEY (title, internal, key)
) WITHOUT ROWID
