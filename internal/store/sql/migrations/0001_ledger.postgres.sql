CREATE TABLE ledger (
  space TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  name  TEXT COLLATE "C" NOT NULL,
  owner TEXT NOT NULL,
  PRIMARY KEY (space, scope, name)
)
