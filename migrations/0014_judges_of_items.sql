-- Each open item names its judge: rows of earlier versions name the judge in their request alone.
UPDATE batch_items SET judge = coalesce(json_extract(request, '$.judge'), '')
WHERE judge IS NULL AND status IN ('pending', 'waiting');
