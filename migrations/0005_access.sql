-- Keys of the HTTP API. Only those of the main database count; the files of other projects have the table and leave it empty.
-- Of a secret only its SHA-256 is kept: it has 256 random bits, so that there is nothing to try.
CREATE TABLE api_keys (
  rowid INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
  name TEXT NOT NULL,
  project TEXT NOT NULL,
  -- A JSON array.
  scopes TEXT NOT NULL,
  max_requests_per_minute INTEGER,
  max_cost_usd_per_day REAL,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  revoked_at TEXT,
  last_used_at TEXT
) STRICT;

-- Signed-in browsers. A session is worth what its key is worth.
CREATE TABLE sessions (
  secret_sha256 BLOB PRIMARY KEY CHECK (length(secret_sha256) = 32),
  key_id TEXT NOT NULL REFERENCES api_keys (id),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- The key that asked, and what it may spend in a day: a batch keeps both over restarts. Null: nobody in particular.
ALTER TABLE batches ADD COLUMN payer TEXT;
ALTER TABLE batches ADD COLUMN payer_cap_usd REAL;
-- Its calls are counted in `spending` under `key:<id>:<day>` too.
ALTER TABLE attempts ADD COLUMN payer TEXT;
