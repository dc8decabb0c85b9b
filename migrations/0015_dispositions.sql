-- Decisions about the findings of a batch, and its sign-offs: append-only. `class`: the class of findings, or `signoff`. An import may bring
-- rows of batches of another database.
CREATE TABLE dispositions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  batch TEXT NOT NULL,
  class TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX dispositions_of_batch ON dispositions (batch, class, id);
