CREATE TABLE container_groups (
  id             TEXT COLLATE "C" PRIMARY KEY,
  subscription   TEXT COLLATE "C" NOT NULL,
  resource_group TEXT COLLATE "C" NOT NULL,
  name           TEXT COLLATE "C" NOT NULL,
  superseded     BIGINT NOT NULL,
  generation     BIGINT NOT NULL,
  state          TEXT COLLATE "C" NOT NULL,
  operation      TEXT COLLATE "C" NOT NULL,
  address        TEXT COLLATE "C" NOT NULL,
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
  id           TEXT COLLATE "C" PRIMARY KEY,
  subscription TEXT COLLATE "C" NOT NULL,
  group_id     TEXT COLLATE "C" NOT NULL,
  resource     TEXT COLLATE "C" NOT NULL,
  kind         TEXT COLLATE "C" NOT NULL,
  status       TEXT COLLATE "C" NOT NULL,
  started      BIGINT NOT NULL,
  ended        BIGINT NOT NULL,
  error        TEXT NOT NULL
)
--;
CREATE INDEX container_operations_ended ON container_operations (ended) WHERE ended > 0
