-- Each open item names its judge: rows of earlier versions name the judge in their request alone.
UPDATE batch_items SET judge = coalesce(btrim((request::json -> 'judge')::text, '"'), '')
WHERE judge IS NULL AND status IN ('pending', 'waiting');
