-- How many grades and checked citations of each judge and rubric ended how: kept by a trigger in the same transaction, so that reading them
-- costs nothing and a restart forgets none. What only checked stored replies again (`silent`) is no answer of a judge. In parts, as
-- `batch_tallies`: what is counted is the sum over them.
CREATE TABLE evidence_tallies (
  judge text COLLATE "C" NOT NULL,
  rubric text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('grade', 'citation')),
  status text COLLATE "C" NOT NULL,
  part integer NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (judge, rubric, kind, status, part)
) WITH (fillfactor = 50);

-- The statuses of the citations of a grade, each as often as it occurs. Its citations are cut out of its text, as no type of JSON here
-- takes every character that a quote may have; quotation marks within texts are escaped, so that neither mark is found there.
CREATE FUNCTION citation_statuses(body text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT found[1] FROM regexp_matches(
    split_part(split_part(body, '"citations":[', 2), '],"unmet":', 1), '"status":"([a-z_]+)"', 'g'
  ) AS found
$$;

INSERT INTO evidence_tallies
SELECT judge, rubric, 'grade', status, 0, count(*) FROM grades WHERE silent = 0 GROUP BY judge, rubric, status;
INSERT INTO evidence_tallies
SELECT judge, rubric, 'citation', cited, 0, count(*) FROM grades, citation_statuses(body) AS cited
WHERE silent = 0 GROUP BY judge, rubric, cited;

-- Once a statement and in a fixed order, so that two transactions never wait for each other crosswise.
CREATE FUNCTION count_evidence() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  mine integer := floor(random() * 8);
BEGIN
  INSERT INTO evidence_tallies AS tally (judge, rubric, kind, status, part, n)
  SELECT judge, rubric, kind, status, mine, count(*) FROM (
    SELECT judge, rubric, 'grade' AS kind, status FROM new_grades WHERE silent = 0
    UNION ALL
    SELECT judge, rubric, 'citation', cited FROM new_grades, citation_statuses(body) AS cited WHERE silent = 0
  ) AS told
  GROUP BY judge, rubric, kind, status ORDER BY judge, rubric, kind, status
  ON CONFLICT (judge, rubric, kind, status, part) DO UPDATE SET n = tally.n + excluded.n;
  RETURN NULL;
END $$;
CREATE TRIGGER grades_tallied AFTER INSERT ON grades
  REFERENCING NEW TABLE AS new_grades FOR EACH STATEMENT EXECUTE FUNCTION count_evidence();
