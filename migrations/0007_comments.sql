-- What people say to a step of a trajectory: append-only. They stand at every grade of it.
CREATE TABLE comments (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  grade_id TEXT NOT NULL REFERENCES grades (id),
  trajectory TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX comments_by_trajectory ON comments (trajectory, id);
