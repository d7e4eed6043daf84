CREATE TABLE server_names (
  name           TEXT NOT NULL PRIMARY KEY,
  subscription   TEXT NOT NULL,
  resource_group TEXT NOT NULL,
  record         TEXT NOT NULL
) WITHOUT ROWID
--;
CREATE INDEX server_names_place ON server_names (subscription, name)
