-- The items of an ended batch change no more: their counts stand in its row.
ALTER TABLE batches ADD COLUMN tallies TEXT;
UPDATE batches SET tallies = (
  SELECT json_group_array(json_object('status', status, 'cached', cached, 'detail', detail, 'n', n))
  FROM (
    SELECT status, cached, coalesce(label, failure_code) AS detail, count(*) AS n FROM batch_items
    WHERE batch = batches.seq GROUP BY status, cached, detail ORDER BY status, detail
  )
) WHERE status IN ('done', 'cancelled');
