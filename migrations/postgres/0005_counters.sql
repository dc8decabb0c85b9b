-- Counters that every call and every item changes, in parts: whoever changes one holds its row until the commit, and all others of the same
-- batch or day would wait for that. What is counted is the sum over the parts; a part alone may be below zero.
ALTER TABLE spending ADD COLUMN part integer NOT NULL DEFAULT 0;
ALTER TABLE spending DROP CONSTRAINT spending_pkey;
ALTER TABLE spending ADD PRIMARY KEY (scope, part);

ALTER TABLE batch_tallies ADD COLUMN part integer NOT NULL DEFAULT 0;
ALTER TABLE batch_tallies DROP CONSTRAINT batch_tallies_pkey;
ALTER TABLE batch_tallies ADD PRIMARY KEY (batch, status, detail, cached, part);

CREATE OR REPLACE FUNCTION count_batch_items() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  mine integer := floor(random() * 8);
BEGIN
  INSERT INTO batch_tallies AS tally (batch, status, detail, cached, part, n)
  SELECT batch, status, detail, cached, mine, sum(n) FROM (
    SELECT batch, status, coalesce(label, failure_code, '') AS detail, cached, -1 AS n FROM old_items
    UNION ALL
    SELECT batch, status, coalesce(label, failure_code, ''), cached, 1 FROM new_items
  ) AS changes
  WHERE status <> 'pending' GROUP BY batch, status, detail, cached HAVING sum(n) <> 0 ORDER BY batch, status, detail, cached
  ON CONFLICT (batch, status, detail, cached, part) DO UPDATE SET n = tally.n + excluded.n;
  RETURN NULL;
END $$;
