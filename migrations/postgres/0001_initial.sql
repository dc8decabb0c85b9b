-- One project in one schema; `search_path` names it while this runs. Text compares by its bytes, as SQLite does it: ids sort by age.
-- Text cannot hold NUL: the adapter writes it in an escape that keeps the order (src/storage/postgres/text.ts). JSON is text, never jsonb,
-- which refuses \u0000 and forgets how numbers were written. `seq` is the order of writing.

-- Trajectories: the source document, stored once under the digest of its value, zstd-compressed.
CREATE TABLE trajectories (
  id text COLLATE "C" PRIMARY KEY,
  format text COLLATE "C" NOT NULL,
  document bytea NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
-- It is compressed already.
ALTER TABLE trajectories ALTER COLUMN document SET STORAGE EXTERNAL;

-- Grades: append-only. `body` is the public JSON; the columns beside it are what lists filter by.
CREATE TABLE grades (
  id text COLLATE "C" PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('graded', 'unverified', 'failed')),
  label text COLLATE "C" CHECK (label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  claimed_label text COLLATE "C"
    CHECK (claimed_label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  judge text COLLATE "C" NOT NULL,
  rubric text COLLATE "C" NOT NULL,
  trajectory text COLLATE "C" NOT NULL,
  agent text COLLATE "C",
  model text COLLATE "C",
  task text COLLATE "C",
  batch text COLLATE "C",
  ground_truth text COLLATE "C" NOT NULL,
  -- What the harness measured: a part of the ground truth, as JSON of its own.
  signals text COLLATE "C",
  body text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  silent integer NOT NULL DEFAULT 0,
  -- What a grade answers: its trajectory and its ground truth.
  question text COLLATE "C" NOT NULL,
  -- Only a checked verdict has a label, and a failure claims nothing.
  CHECK ((status = 'graded') = (label IS NOT NULL)),
  CHECK (status <> 'failed' OR claimed_label IS NULL)
);
CREATE INDEX grades_by_key ON grades (key, id);
CREATE INDEX grades_by_label ON grades (label, id);
CREATE INDEX grades_by_status ON grades (status, id);
CREATE INDEX grades_by_judge ON grades (judge, id);
CREATE INDEX grades_by_rubric ON grades (rubric, id);
CREATE INDEX grades_by_agent ON grades (agent, id);
CREATE INDEX grades_by_model ON grades (model, id);
CREATE INDEX grades_by_task ON grades (task, id);
CREATE INDEX grades_by_batch ON grades (batch, id);
CREATE INDEX grades_by_question ON grades (question, id);

-- Which grade answers a cache key now. A failed grade never gets here.
CREATE TABLE current_grades (
  key text COLLATE "C" PRIMARY KEY,
  grade_id text COLLATE "C" NOT NULL REFERENCES grades (id)
);

-- The ledger of judge calls: a row before the call, completed after it. No foreign key to grades: the grade is written last, and an
-- attempt whose grade was never written is exactly what a restart looks for.
CREATE TABLE attempts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  grade_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  sample integer NOT NULL CHECK (sample >= 0),
  round integer NOT NULL CHECK (round >= 0),
  purpose text COLLATE "C" NOT NULL CHECK (purpose IN ('decide', 'window', 'repair')),
  request_digest text COLLATE "C" NOT NULL,
  judge text COLLATE "C" NOT NULL,
  started_at text COLLATE "C" NOT NULL,
  batch text COLLATE "C",
  -- The key that asked; its calls are counted in `spending` under `key:<id>:<day>` too.
  payer text COLLATE "C",
  reserved_usd double precision,
  -- The process that makes the call.
  process text COLLATE "C",
  outcome text COLLATE "C" NOT NULL CHECK (
    outcome IN (
      'ok', 'sent', 'unknown', 'judge_unreachable', 'rate_limited', 'quota_exhausted', 'authentication', 'refused',
      'truncated', 'schema_invalid', 'context_overflow', 'budget_exceeded', 'timeout', 'cancelled', 'internal'
    )
  ),
  message text COLLATE "C",
  reply_text bytea,
  raw_reply bytea,
  usage text COLLATE "C",
  cost_usd double precision,
  latency_ms double precision,
  request_id text COLLATE "C",
  model_resolved text COLLATE "C",
  -- A good reply that cannot be used again would be paid for twice.
  CHECK (outcome <> 'ok' OR (reply_text IS NOT NULL AND raw_reply IS NOT NULL))
);
CREATE INDEX attempts_by_question ON attempts (key, sample, round, request_digest, started_at, seq) WHERE outcome = 'ok';
CREATE INDEX attempts_by_grade ON attempts (grade_id, started_at, seq);
CREATE INDEX attempts_in_flight ON attempts (seq) WHERE outcome = 'sent';

-- Raw request bytes that were seen before, by digest: what they ask and the metadata they carry.
CREATE TABLE aliases (
  raw_digest text COLLATE "C" PRIMARY KEY,
  key text COLLATE "C" NOT NULL,
  metadata text COLLATE "C" NOT NULL
);

CREATE TABLE idempotency_keys (
  key text COLLATE "C" PRIMARY KEY,
  request_digest text COLLATE "C" NOT NULL,
  status integer NOT NULL,
  body text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);

CREATE TABLE rubrics (
  name text COLLATE "C" PRIMARY KEY,
  digest text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);

CREATE TABLE settings (
  name text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

-- Processes that use this schema. Who lives is decided by the clock of the server alone.
CREATE TABLE processes (
  id text COLLATE "C" PRIMARY KEY,
  -- The machine, its boot and its space of process numbers: equal only where a number means the same process.
  host text COLLATE "C" NOT NULL,
  pid integer NOT NULL,
  seen_at timestamptz NOT NULL
);

-- Money by scope: `day:2026-11-21` (UTC), `batch:bat_…`, `key:key_…:2026-11-21`. A cap holds for the sum of the three amounts.
CREATE TABLE spending (
  scope text COLLATE "C" PRIMARY KEY,
  -- Known costs of calls that have ended.
  settled_usd double precision NOT NULL DEFAULT 0,
  -- Upper bounds of calls in flight.
  reserved_usd double precision NOT NULL DEFAULT 0,
  -- Upper bounds of calls that may have been paid for: interrupted or timed out.
  uncertain_usd double precision NOT NULL DEFAULT 0,
  calls bigint NOT NULL DEFAULT 0,
  -- Calls whose end is unknown: in flight at a crash.
  unknown_calls bigint NOT NULL DEFAULT 0,
  -- Calls that used tokens whose price is unknown.
  unpriced_calls bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE batches (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('grade', 'regrade', 'recheck')),
  mode text COLLATE "C" NOT NULL CHECK (mode IN ('direct', 'provider')),
  name text COLLATE "C",
  key text COLLATE "C",
  -- `draft`: its items are still arriving; nobody sees it, and it is thrown away when its process has died.
  status text COLLATE "C" NOT NULL CHECK (status IN ('draft', 'running', 'parked', 'cancelling', 'cancelled', 'done')),
  max_cost_usd double precision,
  parked_reason text COLLATE "C",
  resumes_at text COLLATE "C",
  -- The process that runs it.
  process text COLLATE "C",
  -- The key that asked, and what it may spend in a day.
  payer text COLLATE "C",
  payer_cap_usd double precision,
  total integer NOT NULL DEFAULT 0,
  created_at text COLLATE "C" NOT NULL,
  finished_at text COLLATE "C",
  CHECK ((status = 'parked') = (parked_reason IS NOT NULL)),
  CHECK ((status IN ('done', 'cancelled')) = (finished_at IS NOT NULL))
);
CREATE INDEX batches_by_key ON batches (key, id) WHERE key IS NOT NULL;
CREATE INDEX batches_by_status ON batches (status, id);

-- An item is `pending` until it ends. `waiting`: its question lies with a provider’s batch endpoint.
CREATE TABLE batch_items (
  batch bigint NOT NULL REFERENCES batches (seq),
  idx integer NOT NULL,
  item_id text COLLATE "C" NOT NULL,
  trajectory text COLLATE "C" NOT NULL,
  -- The grade request as JSON, without its trajectory.
  request text COLLATE "C" NOT NULL,
  base_grade text COLLATE "C",
  status text COLLATE "C" NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'waiting', 'graded', 'unverified', 'failed', 'cancelled')),
  label text COLLATE "C",
  grade_id text COLLATE "C",
  failure_code text COLLATE "C",
  failure text COLLATE "C",
  cached integer NOT NULL DEFAULT 0,
  PRIMARY KEY (batch, idx),
  UNIQUE (batch, item_id),
  CHECK ((status = 'graded') = (label IS NOT NULL)),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  CHECK (status NOT IN ('graded', 'unverified') OR grade_id IS NOT NULL)
);
CREATE INDEX batch_items_pending ON batch_items (batch, idx) WHERE status = 'pending';
CREATE INDEX batch_items_waiting ON batch_items (batch, idx) WHERE status = 'waiting';
CREATE INDEX batch_items_by_trajectory ON batch_items (batch, trajectory, idx) WHERE status = 'pending';
CREATE INDEX batch_items_ended ON batch_items (batch, idx) WHERE status NOT IN ('pending', 'waiting');
CREATE INDEX batch_items_by_grade ON batch_items (batch, grade_id) WHERE grade_id IS NOT NULL;

-- How many items are in which end, kept by a trigger in the same transaction: counts always add up and cost nothing to read.
CREATE TABLE batch_tallies (
  batch bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  -- The label, or the failure code.
  detail text COLLATE "C" NOT NULL,
  cached integer NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (batch, status, detail, cached)
) WITH (fillfactor = 50);

-- Once a statement, in sums and in a fixed order: a hundred thousand items that are cancelled together change each tally once, and two
-- transactions never wait for each other crosswise.
CREATE FUNCTION count_batch_items() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO batch_tallies AS tally (batch, status, detail, cached, n)
  SELECT batch, status, detail, cached, sum(n) FROM (
    SELECT batch, status, coalesce(label, failure_code, '') AS detail, cached, -1 AS n FROM old_items
    UNION ALL
    SELECT batch, status, coalesce(label, failure_code, ''), cached, 1 FROM new_items
  ) AS changes
  WHERE status <> 'pending' GROUP BY batch, status, detail, cached HAVING sum(n) <> 0 ORDER BY batch, status, detail, cached
  ON CONFLICT (batch, status, detail, cached) DO UPDATE SET n = tally.n + excluded.n;
  RETURN NULL;
END $$;
CREATE TRIGGER batch_items_counted AFTER UPDATE ON batch_items
  REFERENCING OLD TABLE AS old_items NEW TABLE AS new_items
  FOR EACH STATEMENT EXECUTE FUNCTION count_batch_items();

-- Provider batches: recorded before they are sent, so that a crash in between is settled by asking the provider.
CREATE TABLE provider_batches (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  judge text COLLATE "C" NOT NULL,
  batch text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('recorded', 'submitted', 'ended', 'failed')),
  provider_id text COLLATE "C",
  requests integer NOT NULL,
  detail text COLLATE "C",
  recorded_at text COLLATE "C" NOT NULL,
  ended_at text COLLATE "C",
  CHECK (status <> 'submitted' OR provider_id IS NOT NULL)
);
CREATE INDEX provider_batches_open ON provider_batches (batch, seq) WHERE status IN ('recorded', 'submitted');

-- One question on its way through a provider’s batch endpoint. `id` is the provider’s `custom_id` and becomes the attempt’s id.
CREATE TABLE provider_requests (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  -- The planned attempt as JSON, and what its money is counted by.
  planned text COLLATE "C" NOT NULL,
  payer text COLLATE "C",
  started_at text COLLATE "C" NOT NULL,
  reserved_usd double precision,
  key text COLLATE "C" NOT NULL,
  sample integer NOT NULL,
  round integer NOT NULL,
  request_digest text COLLATE "C" NOT NULL,
  judge text COLLATE "C" NOT NULL,
  batch text COLLATE "C" NOT NULL,
  -- Index of the item in the batch.
  item integer NOT NULL,
  -- The line that is sent, compressed; dropped once it is answered.
  line bytea,
  bytes bigint NOT NULL,
  provider_batch bigint REFERENCES provider_batches (seq),
  -- The failure of an answered one as JSON; good replies are in the ledger alone.
  failure text COLLATE "C",
  -- `void`: expired, cancelled or never run; it cost nothing and may be asked again.
  status text COLLATE "C" NOT NULL CHECK (status IN ('queued', 'sent', 'answered', 'void')),
  CHECK (status IN ('queued', 'void') OR provider_batch IS NOT NULL)
);
CREATE INDEX provider_requests_by_question ON provider_requests (batch, key, sample, round, request_digest, seq);
CREATE INDEX provider_requests_open ON provider_requests (batch, item) WHERE status IN ('queued', 'sent');
CREATE INDEX provider_requests_queued ON provider_requests (batch, judge, seq) WHERE status = 'queued';
CREATE INDEX provider_requests_by_provider_batch ON provider_requests (provider_batch, status, seq);

-- Human labels: append-only.
CREATE TABLE reviews (
  id text COLLATE "C" PRIMARY KEY,
  grade_id text COLLATE "C" NOT NULL REFERENCES grades (id),
  question text COLLATE "C" NOT NULL,
  rater text COLLATE "C" NOT NULL,
  label text COLLATE "C" CHECK (label IN ('aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed')),
  body text COLLATE "C" NOT NULL,
  created_at text COLLATE "C" NOT NULL
);
CREATE INDEX reviews_by_question ON reviews (question, id);
CREATE INDEX reviews_by_rater ON reviews (rater, id);
CREATE INDEX reviews_by_grade ON reviews (grade_id, id);

-- Keys of the HTTP API. Only those of the default project count; other schemas have the table and leave it empty. Of a secret only its
-- SHA-256 is kept: it has 256 random bits, so that there is nothing to try.
CREATE TABLE api_keys (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
  name text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  -- A JSON array.
  scopes text COLLATE "C" NOT NULL,
  max_requests_per_minute bigint,
  max_cost_usd_per_day double precision,
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C",
  revoked_at text COLLATE "C",
  last_used_at text COLLATE "C"
);

-- Signed-in browsers. A session is worth what its key is worth.
CREATE TABLE sessions (
  secret_sha256 bytea PRIMARY KEY CHECK (length(secret_sha256) = 32),
  key_id text COLLATE "C" NOT NULL REFERENCES api_keys (id),
  created_at text COLLATE "C" NOT NULL,
  expires_at text COLLATE "C" NOT NULL
);
CREATE INDEX sessions_by_end ON sessions (expires_at);
