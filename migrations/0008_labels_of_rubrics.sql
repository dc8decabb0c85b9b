-- Labels are those of a rubric, and no longer five. What a CHECK lets through does not change what is stored, so that the tables need not
-- be written anew (https://www.sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(
  replace(sql, ' CHECK (label IN (''aligned'', ''compliant'', ''ignored'', ''distractor_only'', ''not_observed''))', ''),
  ' CHECK (claimed_label IN (''aligned'', ''compliant'', ''ignored'', ''distractor_only'', ''not_observed''))', ''
)
WHERE type = 'table' AND name IN ('grades', 'reviews');
PRAGMA writable_schema = RESET;
