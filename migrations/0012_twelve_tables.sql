-- Twelve tables. Counts are counted when they are asked for, and no trigger writes.
DROP TRIGGER batch_items_leave;
DROP TRIGGER batch_items_enter;
DROP TABLE batch_tallies;
DROP TABLE evidence_tallies;
DROP TABLE aliases;
DROP TABLE comments;
DROP TABLE sessions;
DROP TABLE blob_places;
DROP TABLE processes;

-- The grade that answers its key is marked in its own row.
ALTER TABLE grades ADD COLUMN is_current INTEGER NOT NULL DEFAULT 0;
UPDATE grades SET is_current = 1 WHERE id IN (SELECT grade_id FROM current_grades);
DROP TABLE current_grades;
CREATE UNIQUE INDEX grades_current ON grades (key) WHERE is_current = 1;

-- What the harness measured, as JSON of its own.
ALTER TABLE grades ADD COLUMN signals TEXT;
UPDATE grades SET signals = json_extract(ground_truth, '$.signals');

-- The rubric without its version.
DROP INDEX grades_by_rubric_id;
ALTER TABLE grades ADD COLUMN rubric_id TEXT AS (substr(rubric, 1, instr(rubric, '@') - 1)) VIRTUAL;
CREATE INDEX grades_by_rubric_id ON grades (rubric_id, id);

-- Each item names its judge; null in rows that are there, which are read when their batch goes on.
ALTER TABLE batch_items ADD COLUMN judge TEXT;

-- Counts of a batch are read from this index alone.
CREATE INDEX batch_items_counted ON batch_items (batch, status, cached, label, failure_code);

-- `seq` is the order of writing, and calls of a provider’s batch stand in the ledger from the beginning. Neither the name of a row’s number nor
-- a CHECK that lets more through changes a stored row (https://www.sqlite.org/lang_altertable.html, section 7).
ALTER TABLE provider_batches RENAME TO submissions;
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(
  replace(replace(sql, 'rowid INTEGER PRIMARY KEY', 'seq INTEGER PRIMARY KEY'), '(rowid)', '(seq)'),
  '''ok'', ''sent'', ''unknown''', '''ok'', ''queued'', ''sent'', ''void'', ''unknown'''
)
WHERE type = 'table' AND name IN ('attempts', 'batches', 'batch_items', 'api_keys', 'submissions');
UPDATE sqlite_schema SET sql = replace(sql, '(rowid)', '(seq)') WHERE type = 'table' AND name = 'provider_requests';
PRAGMA writable_schema = RESET;
ALTER TABLE attempts ADD COLUMN item INTEGER;
ALTER TABLE attempts ADD COLUMN submission TEXT;
ALTER TABLE attempts ADD COLUMN line BLOB;
ALTER TABLE attempts ADD COLUMN bytes INTEGER;
ALTER TABLE attempts ADD COLUMN failure TEXT;
ALTER TABLE submissions ADD COLUMN sending_until TEXT;
UPDATE attempts SET (item, submission, failure, bytes) = (
  SELECT request.item, submissions.id, request.failure, request.bytes
  FROM provider_requests AS request LEFT JOIN submissions ON submissions.seq = request.provider_batch
  WHERE request.id = attempts.id
) WHERE id IN (SELECT id FROM provider_requests);
INSERT INTO attempts (
  id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome, item,
  submission, line, bytes
)
SELECT request.id, planned ->> '$.grade_id', key, sample, round, planned ->> '$.purpose', request_digest, request.judge,
  planned ->> '$.started_at', request.batch, planned ->> '$.payer', planned ->> '$.reserved_usd', request.status, item,
  submissions.id, line, bytes
FROM provider_requests AS request LEFT JOIN submissions ON submissions.seq = request.provider_batch
WHERE request.status <> 'answered' ORDER BY request.rowid;
DROP TABLE provider_requests;
DROP INDEX attempts_in_flight;
CREATE INDEX attempts_in_flight ON attempts (judge) WHERE outcome = 'sent' AND submission IS NULL;
CREATE INDEX attempts_of_batch ON attempts (batch, item) WHERE outcome IN ('queued', 'sent');
CREATE INDEX attempts_queued ON attempts (batch, judge) WHERE outcome = 'queued';
CREATE INDEX attempts_of_provider ON attempts (batch, key, sample, round, request_digest) WHERE item IS NOT NULL;
CREATE INDEX attempts_of_submission ON attempts (submission) WHERE outcome = 'sent' AND submission IS NOT NULL;

-- Digests of rubrics are settings.
INSERT INTO settings SELECT 'rubric:' || name, CAST(json_object('digest', digest, 'content', content) AS BLOB) FROM rubrics;
DROP TABLE rubrics;
DELETE FROM settings WHERE name = 'runner_judges';

-- Judges as all processes see them.
CREATE TABLE judges (
  name TEXT PRIMARY KEY,
  -- Milliseconds since the epoch before which no process calls the judge, and the failure that says why.
  paused_until REAL NOT NULL DEFAULT 0,
  failure TEXT,
  -- Silent failures in a row, and pauses in a row that they caused.
  strikes INTEGER NOT NULL DEFAULT 0,
  rests INTEGER NOT NULL DEFAULT 0,
  -- When a worker with the judge last said so.
  seen_at REAL NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
