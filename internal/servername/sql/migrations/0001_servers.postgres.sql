CREATE TABLE server_names (
  name           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  subscription   TEXT COLLATE "C" NOT NULL,
  resource_group TEXT COLLATE "C" NOT NULL,
  record         TEXT NOT NULL
)
--;
CREATE INDEX server_names_place ON server_names (subscription, name)
