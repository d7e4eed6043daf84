-- What a title's operators define: kind says whether doc, a JSON text, is an
-- experiment or an exclusion group.
CREATE TABLE experiment_definitions (
  title TEXT NOT NULL,
  kind  TEXT NOT NULL,
  id    TEXT NOT NULL,
  doc   TEXT NOT NULL,
  PRIMARY KEY (title, kind, id)
) WITHOUT ROWID
--;
-- What one player has been exposed to: doc is a JSON list of experiments with
-- variants and times, the oldest first.
CREATE TABLE experiment_exposures (
  title  TEXT NOT NULL,
  player TEXT NOT NULL,
  doc    TEXT NOT NULL,
  PRIMARY KEY (title, player)
) WITHOUT ROWID
