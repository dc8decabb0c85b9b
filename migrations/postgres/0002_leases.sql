-- Work that one process of many does (src/grading/cluster/lease-ports.ts). A row outlives its lease by a minute, with what its holder
-- left to say. `until` is set by the clock of the server alone.
CREATE TABLE leases (
  name text COLLATE "C" PRIMARY KEY,
  -- New with each taking. What is written under a lease finds its row by the token and locks it FOR KEY SHARE until its commit: taking a
  -- lease over locks it FOR UPDATE, so that one of the two comes first; renewing and giving back stand in nobody’s way.
  token text COLLATE "C" NOT NULL UNIQUE,
  -- The process, for people who look.
  holder text COLLATE "C" NOT NULL,
  until timestamptz NOT NULL,
  in_flight integer NOT NULL DEFAULT 0,
  -- Somebody waits for it: giving it back is told at once.
  waited boolean NOT NULL DEFAULT false,
  result text COLLATE "C"
) WITH (fillfactor = 50);

-- The lease under which the call was begun. While it is held, the reply belongs to whoever holds it: it is no orphan.
ALTER TABLE attempts ADD COLUMN lease text COLLATE "C";
