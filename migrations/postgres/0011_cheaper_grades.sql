-- As in SQLite: an index by a digest is one more page for each row, and the larger its entries, the more pages.

-- Looked for by its key is only what does not answer it: a later failure, and what was checked again.
DROP INDEX grades_by_key;
CREATE INDEX grades_by_key ON grades (key, id) WHERE status = 'failed' OR silent = 1;

-- By the first digits of both digests, 24 characters of 143; the few that are found are compared whole.
DROP INDEX grades_by_question;
CREATE INDEX grades_by_question ON grades ((substr(question, 8, 16) || substr(question, 80, 8)));

-- No list asks for what has none.
DROP INDEX grades_by_agent;
DROP INDEX grades_by_model;
DROP INDEX grades_by_task;
DROP INDEX grades_by_batch;
CREATE INDEX grades_by_agent ON grades (agent, id) WHERE agent IS NOT NULL;
CREATE INDEX grades_by_model ON grades (model, id) WHERE model IS NOT NULL;
CREATE INDEX grades_by_task ON grades (task, id) WHERE task IS NOT NULL;
CREATE INDEX grades_by_batch ON grades (batch, id) WHERE batch IS NOT NULL;

-- A call whose grade was never written is looked for by what it asked.
DROP INDEX attempts_by_question;
CREATE INDEX attempts_by_request ON attempts (substr(request_digest, 8, 16)) WHERE outcome = 'ok';
