-- What people say to a step of a trajectory: append-only. They stand at every grade of it.
CREATE TABLE comments (
  id text COLLATE "C" PRIMARY KEY,
  grade_id text COLLATE "C" NOT NULL REFERENCES grades (id),
  trajectory text COLLATE "C" NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
CREATE INDEX comments_by_trajectory ON comments (trajectory, id);
