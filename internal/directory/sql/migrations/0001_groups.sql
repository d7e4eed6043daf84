CREATE TABLE directory_groups (
  id         TEXT   NOT NULL PRIMARY KEY,
  tenant     TEXT   NOT NULL,
  deleted_at BIGINT NOT NULL,
  record     TEXT   NOT NULL
)
