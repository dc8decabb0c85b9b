-- Processes that use this file: who makes a call and who runs a batch, so that a restart takes over only from the dead.
CREATE TABLE processes (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  seen_at TEXT NOT NULL
) STRICT;

-- Which process makes the call, for which batch, and what was reserved for it before it was made.
ALTER TABLE attempts ADD COLUMN process TEXT;
ALTER TABLE attempts ADD COLUMN batch TEXT;
ALTER TABLE attempts ADD COLUMN reserved_usd REAL;

-- Money by scope: `day:2026-11-21` (UTC) or `batch:bat_…`. A cap holds for the sum of the three amounts.
CREATE TABLE spending (
  scope TEXT PRIMARY KEY,
  -- Known costs of calls that have ended.
  settled_usd REAL NOT NULL DEFAULT 0,
  -- Upper bounds of calls in flight.
  reserved_usd REAL NOT NULL DEFAULT 0,
  -- Upper bounds of calls that may have been paid for: interrupted or timed out.
  uncertain_usd REAL NOT NULL DEFAULT 0,
  calls INTEGER NOT NULL DEFAULT 0,
  -- Calls whose end is unknown: in flight at a crash.
  unknown_calls INTEGER NOT NULL DEFAULT 0,
  -- Calls that used tokens whose price is unknown.
  unpriced_calls INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE batches (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('grade', 'regrade', 'recheck')),
  mode TEXT NOT NULL CHECK (mode IN ('direct', 'provider')),
  name TEXT,
  key TEXT,
  -- `draft`: its items are still arriving; nobody sees it, and a restart throws it away.
  status TEXT NOT NULL CHECK (status IN ('draft', 'running', 'parked', 'cancelling', 'cancelled', 'done')),
  max_cost_usd REAL,
  parked_reason TEXT,
  resumes_at TEXT,
  -- The process that runs it.
  process TEXT,
  total INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  finished_at TEXT,
  CHECK ((status = 'parked') = (parked_reason IS NOT NULL)),
  CHECK ((status IN ('done', 'cancelled')) = (finished_at IS NOT NULL))
) STRICT;
CREATE INDEX batches_by_key ON batches (key, id) WHERE key IS NOT NULL;
CREATE INDEX batches_by_status ON batches (status, id);

-- An item is `pending` until it ends: what is being graded right now is known by the process that does it, and by nobody after a
-- crash. `waiting`: its question lies with a provider’s batch endpoint.
CREATE TABLE batch_items (
  rowid INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL REFERENCES batches (rowid),
  idx INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  trajectory TEXT NOT NULL,
  -- The grade request as JSON, without its trajectory.
  request TEXT NOT NULL,
  base_grade TEXT,
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'waiting', 'graded', 'unverified', 'failed', 'cancelled')),
  label TEXT,
  grade_id TEXT,
  failure_code TEXT,
  failure TEXT,
  cached INTEGER NOT NULL DEFAULT 0,
  UNIQUE (batch, idx),
  UNIQUE (batch, item_id),
  CHECK ((status = 'graded') = (label IS NOT NULL)),
  CHECK ((status = 'failed') = (failure_code IS NOT NULL)),
  CHECK (status NOT IN ('graded', 'unverified') OR grade_id IS NOT NULL)
) STRICT;
CREATE INDEX batch_items_pending ON batch_items (batch, idx) WHERE status = 'pending';
CREATE INDEX batch_items_by_trajectory ON batch_items (batch, trajectory, idx) WHERE status = 'pending';
CREATE INDEX batch_items_ended ON batch_items (batch, idx) WHERE status NOT IN ('pending', 'waiting');
CREATE INDEX batch_items_by_grade ON batch_items (batch, grade_id) WHERE grade_id IS NOT NULL;

-- How many items are in which end, kept by triggers in the same transaction: counts always add up and cost nothing to read.
CREATE TABLE batch_tallies (
  batch INTEGER NOT NULL,
  status TEXT NOT NULL,
  -- The label, or the failure code.
  detail TEXT NOT NULL,
  cached INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (batch, status, detail, cached)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER batch_items_leave AFTER UPDATE OF status ON batch_items WHEN old.status <> 'pending' BEGIN
  UPDATE batch_tallies SET n = n - 1
  WHERE batch = old.batch AND status = old.status AND detail = coalesce(old.label, old.failure_code, '')
    AND cached = old.cached;
END;
CREATE TRIGGER batch_items_enter AFTER UPDATE OF status ON batch_items WHEN new.status <> 'pending' BEGIN
  INSERT INTO batch_tallies VALUES (new.batch, new.status, coalesce(new.label, new.failure_code, ''), new.cached, 1)
  ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Provider batches: recorded before they are sent, so that a crash in between is settled by asking the provider.
CREATE TABLE provider_batches (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  judge TEXT NOT NULL,
  batch TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('recorded', 'submitted', 'ended', 'failed')),
  provider_id TEXT,
  requests INTEGER NOT NULL,
  detail TEXT,
  recorded_at TEXT NOT NULL,
  ended_at TEXT,
  CHECK (status <> 'submitted' OR provider_id IS NOT NULL)
) STRICT;
CREATE INDEX provider_batches_open ON provider_batches (batch) WHERE status IN ('recorded', 'submitted');

-- One question on its way through a provider’s batch endpoint. `id` is the provider’s `custom_id` and becomes the attempt’s id.
CREATE TABLE provider_requests (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  -- The planned attempt as JSON.
  planned TEXT NOT NULL,
  key TEXT NOT NULL,
  sample INTEGER NOT NULL,
  round INTEGER NOT NULL,
  request_digest TEXT NOT NULL,
  judge TEXT NOT NULL,
  batch TEXT NOT NULL,
  -- Index of the item in the batch.
  item INTEGER NOT NULL,
  -- The line that is sent, compressed; dropped once it is answered.
  line BLOB,
  bytes INTEGER NOT NULL,
  provider_batch INTEGER REFERENCES provider_batches (rowid),
  -- The failure of an answered one as JSON; good replies are in the ledger alone.
  failure TEXT,
  -- `void`: expired, cancelled or never run; it cost nothing and may be asked again.
  status TEXT NOT NULL CHECK (status IN ('queued', 'sent', 'answered', 'void')),
  CHECK (status IN ('queued', 'void') OR provider_batch IS NOT NULL)
) STRICT;
CREATE INDEX provider_requests_by_question ON provider_requests (batch, key, sample, round, request_digest);
CREATE INDEX provider_requests_open ON provider_requests (batch, item) WHERE status IN ('queued', 'sent');
CREATE INDEX provider_requests_queued ON provider_requests (batch, judge, rowid) WHERE status = 'queued';
CREATE INDEX provider_requests_by_provider_batch ON provider_requests (provider_batch, status);
