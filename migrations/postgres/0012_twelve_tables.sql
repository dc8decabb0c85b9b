-- Twelve tables, as in SQLite. Counts are counted when they are asked for, and no trigger writes.
DROP TRIGGER batch_items_counted ON batch_items;
DROP FUNCTION count_batch_items();
DROP TRIGGER grades_tallied ON grades;
DROP FUNCTION count_evidence();
DROP FUNCTION citation_statuses(text);
DROP TABLE batch_tallies, evidence_tallies, aliases, comments, sessions, blob_places, processes, leases, sendings;

-- The grade that answers its key is marked in its own row.
ALTER TABLE grades ADD COLUMN is_current integer NOT NULL DEFAULT 0;
UPDATE grades SET is_current = 1 WHERE id IN (SELECT grade_id FROM current_grades);
DROP TABLE current_grades;
CREATE UNIQUE INDEX grades_current ON grades (key) WHERE is_current = 1;

-- The rubric without its version.
DROP INDEX grades_by_rubric_id;
ALTER TABLE grades ADD COLUMN rubric_id text COLLATE "C" GENERATED ALWAYS AS (split_part(rubric, '@', 1)) STORED;
CREATE INDEX grades_by_rubric_id ON grades (rubric_id, id);

-- Each item names its judge; null in rows that are there, which are read when their batch goes on.
ALTER TABLE batch_items ADD COLUMN judge text COLLATE "C";

-- Counts of a batch are read from this index alone.
CREATE INDEX batch_items_counted ON batch_items (batch, status, cached, label, failure_code);

-- Calls of a provider’s batch stand in the ledger from the beginning.
ALTER TABLE attempts DROP CONSTRAINT attempts_outcome_check;
ALTER TABLE attempts ADD CONSTRAINT attempts_outcome_check CHECK (
  outcome IN (
    'ok', 'queued', 'sent', 'void', 'unknown', 'judge_unreachable', 'rate_limited', 'quota_exhausted', 'authentication', 'refused',
    'truncated', 'schema_invalid', 'context_overflow', 'budget_exceeded', 'timeout', 'cancelled', 'internal'
  )
) NOT VALID;
ALTER TABLE attempts DROP COLUMN lease;
ALTER TABLE attempts ADD COLUMN item integer;
ALTER TABLE attempts ADD COLUMN submission text COLLATE "C";
ALTER TABLE attempts ADD COLUMN line bytea;
ALTER TABLE attempts ADD COLUMN bytes bigint;
ALTER TABLE attempts ADD COLUMN failure text COLLATE "C";
ALTER TABLE provider_batches RENAME TO submissions;
ALTER TABLE submissions ADD COLUMN sending_until text COLLATE "C";
UPDATE attempts SET item = request.item, submission = submissions.id, failure = request.failure, bytes = request.bytes
FROM provider_requests AS request LEFT JOIN submissions ON submissions.seq = request.provider_batch
WHERE request.id = attempts.id;
INSERT INTO attempts (
  id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, batch, payer, reserved_usd, outcome, item,
  submission, line, bytes
)
SELECT request.id, planned::json ->> 'grade_id', key, sample, round, planned::json ->> 'purpose', request_digest, request.judge,
  request.started_at, request.batch, request.payer, request.reserved_usd, request.status, item, submissions.id, line, bytes
FROM provider_requests AS request LEFT JOIN submissions ON submissions.seq = request.provider_batch
WHERE request.status <> 'answered' ORDER BY request.seq;
DROP TABLE provider_requests;
DROP INDEX attempts_in_flight;
CREATE INDEX attempts_in_flight ON attempts (judge) WHERE outcome = 'sent' AND submission IS NULL;
CREATE INDEX attempts_of_batch ON attempts (batch, item) WHERE outcome IN ('queued', 'sent');
CREATE INDEX attempts_queued ON attempts (batch, judge) WHERE outcome = 'queued';
CREATE INDEX attempts_of_provider ON attempts (batch, key, sample, round, request_digest) WHERE item IS NOT NULL;
CREATE INDEX attempts_of_submission ON attempts (submission) WHERE outcome = 'sent' AND submission IS NOT NULL;

-- Money is counted in one row a scope.
CREATE TABLE spent AS
SELECT scope, sum(settled_usd) AS settled_usd, sum(reserved_usd) AS reserved_usd, sum(uncertain_usd) AS uncertain_usd,
  sum(calls)::bigint AS calls, sum(unknown_calls)::bigint AS unknown_calls, sum(unpriced_calls)::bigint AS unpriced_calls
FROM spending GROUP BY scope;
TRUNCATE spending;
ALTER TABLE spending DROP CONSTRAINT spending_pkey;
ALTER TABLE spending DROP COLUMN part;
ALTER TABLE spending ADD PRIMARY KEY (scope);
INSERT INTO spending (scope, settled_usd, reserved_usd, uncertain_usd, calls, unknown_calls, unpriced_calls) SELECT * FROM spent;
DROP TABLE spent;

-- Digests of rubrics are settings.
INSERT INTO settings (name, value)
SELECT 'rubric:' || name, convert_to(json_build_object('digest', digest, 'content', content)::text, 'UTF8') FROM rubrics;
DROP TABLE rubrics;
DELETE FROM settings WHERE name = 'runner_judges';

-- Judges as all processes see them.
DROP TABLE judges;
CREATE TABLE judges (
  name text COLLATE "C" PRIMARY KEY,
  -- Milliseconds since the epoch before which no process calls the judge, and the failure that says why.
  paused_until double precision NOT NULL DEFAULT 0,
  failure text COLLATE "C",
  -- Silent failures in a row, and pauses in a row that they caused.
  strikes integer NOT NULL DEFAULT 0,
  rests integer NOT NULL DEFAULT 0,
  -- When a worker with the judge last said so.
  seen_at double precision NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
