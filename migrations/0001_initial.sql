-- Trajectories: the source document, stored once under the digest of its value, zstd-compressed.
CREATE TABLE trajectories (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  format TEXT NOT NULL,
  document BLOB NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- Grades: append-only. `body` is the public JSON; the columns beside it are what lists filter by.
CREATE TABLE grades (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('graded', 'unverified', 'failed')),
  label TEXT CHECK (label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  claimed_label TEXT CHECK (claimed_label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  judge TEXT NOT NULL,
  rubric TEXT NOT NULL,
  trajectory TEXT NOT NULL,
  agent TEXT,
  model TEXT,
  task TEXT,
  batch TEXT,
  ground_truth TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  -- Only a checked verdict has a label, and a failure claims nothing.
  CHECK ((status = 'graded') = (label IS NOT NULL)),
  CHECK (status <> 'failed' OR claimed_label IS NULL)
) STRICT;
CREATE INDEX grades_by_key ON grades (key, id);
CREATE INDEX grades_by_label ON grades (label, id);
CREATE INDEX grades_by_status ON grades (status, id);
CREATE INDEX grades_by_judge ON grades (judge, id);
CREATE INDEX grades_by_rubric ON grades (rubric, id);
CREATE INDEX grades_by_agent ON grades (agent, id);
CREATE INDEX grades_by_model ON grades (model, id);
CREATE INDEX grades_by_task ON grades (task, id);
CREATE INDEX grades_by_batch ON grades (batch, id);

-- Which grade answers a cache key now. A failed grade never gets here.
CREATE TABLE current_grades (
  key TEXT PRIMARY KEY,
  grade_id TEXT NOT NULL REFERENCES grades (id)
) STRICT;

-- The ledger of judge calls: a row before the call, completed after it. No foreign key to grades: the grade is written last, and
-- an attempt whose grade was never written is exactly what a restart looks for.
CREATE TABLE attempts (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  grade_id TEXT NOT NULL,
  key TEXT NOT NULL,
  sample INTEGER NOT NULL,
  round INTEGER NOT NULL,
  purpose TEXT NOT NULL CHECK (purpose IN ('decide', 'window', 'repair')),
  request_digest TEXT NOT NULL,
  judge TEXT NOT NULL,
  started_at TEXT NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT,
  reply_text BLOB,
  raw_reply BLOB,
  usage TEXT,
  cost_usd REAL,
  latency_ms REAL,
  request_id TEXT,
  model_resolved TEXT
) STRICT;
CREATE INDEX attempts_by_question ON attempts (key, sample, round, request_digest);
CREATE INDEX attempts_by_grade ON attempts (grade_id, id);
CREATE INDEX attempts_in_flight ON attempts (outcome) WHERE outcome = 'sent';

-- Raw request bytes that were seen before, by digest: what they ask and the metadata they carry.
CREATE TABLE aliases (
  raw_digest TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  metadata TEXT NOT NULL
) STRICT;

CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY,
  request_digest TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE rubrics (
  name TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
