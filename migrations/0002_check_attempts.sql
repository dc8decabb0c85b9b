-- Attempts again, with the outcomes as a closed set and the indexes in the order that is asked for. SQLite cannot add a CHECK to
-- a table, so it is made anew. Still no foreign key from attempts to grades: an attempt is durable before its call is made, its
-- grade is written last, and an attempt whose grade was never written is exactly what a restart looks for.
CREATE TABLE attempts_checked (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  grade_id TEXT NOT NULL,
  key TEXT NOT NULL,
  sample INTEGER NOT NULL CHECK (sample >= 0),
  round INTEGER NOT NULL CHECK (round >= 0),
  purpose TEXT NOT NULL CHECK (purpose IN ('decide', 'window', 'repair')),
  request_digest TEXT NOT NULL,
  judge TEXT NOT NULL,
  started_at TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (
    outcome IN (
      'ok', 'sent', 'unknown', 'judge_unreachable', 'rate_limited', 'quota_exhausted', 'authentication', 'refused',
      'truncated', 'schema_invalid', 'context_overflow', 'budget_exceeded', 'timeout', 'cancelled', 'internal'
    )
  ),
  message TEXT,
  reply_text BLOB,
  raw_reply BLOB,
  usage TEXT,
  cost_usd REAL,
  latency_ms REAL,
  request_id TEXT,
  model_resolved TEXT,
  -- A good reply that cannot be used again would be paid for twice.
  CHECK (outcome <> 'ok' OR (reply_text IS NOT NULL AND raw_reply IS NOT NULL))
) STRICT;

INSERT INTO attempts_checked SELECT * FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_checked RENAME TO attempts;

-- Every index ends in the rowid: what began in the same millisecond stays in the order in which it was begun.
CREATE INDEX attempts_by_question ON attempts (key, sample, round, request_digest, started_at) WHERE outcome = 'ok';
CREATE INDEX attempts_by_grade ON attempts (grade_id, started_at);
CREATE INDEX attempts_in_flight ON attempts (outcome) WHERE outcome = 'sent';
