-- Judges, as all processes share them: one row each, read and written under its lock. Used in the main schema alone, since judges belong to
-- the service and not to a project. `state` is JSON (src/grading/cluster/shared-limits-state.ts): how many calls at once, pauses, outages, and
-- what each process was given. It is written about once a second by each busy process, so every page has room for the next version of a row.
CREATE TABLE judges (
  name text COLLATE "C" PRIMARY KEY,
  state text COLLATE "C" NOT NULL
) WITH (fillfactor = 25);
