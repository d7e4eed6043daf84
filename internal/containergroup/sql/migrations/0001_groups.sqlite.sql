CREATE TABLE container_groups (
  id             TEXT PRIMARY KEY,
  subscription   TEXT NOT NULL,
  resource_group TEXT NOT NULL,
  name           TEXT NOT NULL,
  superseded     BIGINT NOT NULL,
  generation     BIGINT NOT NULL,
  state          TEXT NOT NULL,
  operation      TEXT NOT NULL,
  address        TEXT NOT NULL,
  document       TEXT NOT NULL,
  fault          TEXT NOT NULL,
  view           TEXT NOT NULL,
  observed_at    BIGINT NOT NULL
)
--;
CREATE UNIQUE INDEX container_groups_name ON container_groups (subscription, name, resource_group) WHERE superseded = 0
--;
CREATE INDEX container_groups_open ON container_groups (id) WHERE state IN ('Pending', 'Deleting')
--;
CREATE TABLE container_operations (
  id           TEXT PRIMARY KEY,
  subscription TEXT NOT NULL,
  group_id     TEXT NOT NULL,
  resource     TEXT NOT NULL,
  kind         TEXT NOT NULL,
  status       TEXT NOT NULL,
  started      BIGINT NOT NULL,
  ended        BIGINT NOT NULL,
  error        TEXT NOT NULL
) WITHOUT ROWID
--;
CREATE INDEX container_operations_ended ON container_operations (ended) WHERE ended > 0
