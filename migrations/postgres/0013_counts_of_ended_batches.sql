-- The items of an ended batch change no more: their counts stand in its row.
ALTER TABLE batches ADD COLUMN tallies text COLLATE "C";
UPDATE batches SET tallies = (
  SELECT json_agg(json_build_object('status', status, 'cached', cached, 'detail', detail, 'n', n) ORDER BY status, detail)::text
  FROM (
    SELECT status, cached, coalesce(label, failure_code) AS detail, count(*) AS n FROM batch_items
    WHERE batch = batches.seq GROUP BY status, cached, detail
  ) AS counted
) WHERE status IN ('done', 'cancelled');
