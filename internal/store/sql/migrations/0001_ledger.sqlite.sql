CREATE TABLE ledger (
  space TEXT NOT NULL,
  scope TEXT NOT NULL,
  name  TEXT NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (space, scope, name)
) WITHOUT ROWID
