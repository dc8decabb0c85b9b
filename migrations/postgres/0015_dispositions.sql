-- Decisions about the findings of a batch, and its sign-offs: append-only. `class`: the class of findings, or `signoff`. An import may bring
-- rows of batches of another database.
CREATE TABLE dispositions (
  id text COLLATE "C" PRIMARY KEY,
  batch text COLLATE "C" NOT NULL,
  class text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
CREATE INDEX dispositions_of_batch ON dispositions (batch, class, id);
