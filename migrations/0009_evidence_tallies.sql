-- How many grades and checked citations of each judge and rubric ended how: kept by a trigger in the same transaction, so that reading them
-- costs nothing and a restart forgets none. What only checked stored replies again (`silent`) is no answer of a judge.
CREATE TABLE evidence_tallies (
  judge TEXT NOT NULL,
  rubric TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('grade', 'citation')),
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (judge, rubric, kind, status)
) STRICT, WITHOUT ROWID;

INSERT INTO evidence_tallies
SELECT judge, rubric, 'grade', status, COUNT(*) FROM grades WHERE silent = 0 GROUP BY judge, rubric, status;
INSERT INTO evidence_tallies
SELECT judge, rubric, 'citation', json_extract(citation.value, '$.status') AS status, COUNT(*)
FROM grades, json_each(body, '$.citations') AS citation WHERE silent = 0 GROUP BY judge, rubric, 4;

CREATE TRIGGER grades_tallied AFTER INSERT ON grades WHEN new.silent = 0 BEGIN
  INSERT INTO evidence_tallies VALUES (new.judge, new.rubric, 'grade', new.status, 1)
  ON CONFLICT DO UPDATE SET n = n + 1;
  INSERT INTO evidence_tallies
  SELECT new.judge, new.rubric, 'citation', json_extract(value, '$.status'), 1 FROM json_each(new.body, '$.citations') WHERE true
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
