-- Large data outside of the database (docs/blobs.md). A column of bytes then holds a reference: 0xFE, its version, SHA-256 and length.
-- `outside_bytes`: how many bytes of the row lie outside; null: none.
ALTER TABLE trajectories ADD COLUMN outside_bytes bigint;
ALTER TABLE attempts ADD COLUMN outside_bytes bigint;
CREATE INDEX trajectories_outside ON trajectories (outside_bytes) WHERE outside_bytes IS NOT NULL;
CREATE INDEX attempts_outside ON attempts (outside_bytes) WHERE outside_bytes IS NOT NULL;

-- Where it lies: written before anything is put there. The newest is where all of it is.
CREATE TABLE blob_places (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  place text COLLATE "C" NOT NULL,
  since text COLLATE "C" NOT NULL
);
