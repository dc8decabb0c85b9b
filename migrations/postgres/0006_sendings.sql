-- Submissions that a process is sending right now: who has lost the batch in the middle of it has not lost what is on its way. Whoever has the
-- batch next waits for that, for as long as the process lives; only then the provider can be asked whether it came.
CREATE TABLE sendings (
  submission text COLLATE "C" PRIMARY KEY,
  process text COLLATE "C" NOT NULL,
  since timestamptz NOT NULL
);
