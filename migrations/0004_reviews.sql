-- A re-grade that only checks stored replies again is kept beside the grade that answers its key: it must be told from it.
ALTER TABLE grades ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;

-- What a grade answers: its trajectory and its ground truth. Judges and people are compared where they answer the same.
ALTER TABLE grades ADD COLUMN question TEXT;
UPDATE grades SET question = json_extract(body, '$.receipt.trajectory') || '/' || json_extract(body, '$.receipt.ground_truth');
CREATE INDEX grades_by_question ON grades (question, id);

-- Human labels: append-only.
CREATE TABLE reviews (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  grade_id TEXT NOT NULL REFERENCES grades (id),
  question TEXT NOT NULL,
  rater TEXT NOT NULL,
  label TEXT CHECK (label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX reviews_by_question ON reviews (question, id);
CREATE INDEX reviews_by_rater ON reviews (rater, id);
CREATE INDEX reviews_by_grade ON reviews (grade_id, id);
