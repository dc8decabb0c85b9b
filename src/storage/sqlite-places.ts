import type Database from 'better-sqlite3'
import type { BlobPlaces, OutsideSample } from './blob-places.ts'
import type { Unit } from './unit.ts'

const TRAJECTORY =
  'SELECT NULL AS attempt, document AS stored FROM trajectories WHERE outside_bytes IS NOT NULL LIMIT 1'
const REPLY = `
  SELECT id AS attempt, CASE WHEN substr(raw_reply, 1, 1) = x'fe' THEN raw_reply ELSE reply_text END AS stored
  FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1`

/** Where the large data of an SQLite file lies. */
export function createBlobPlaces(db: Database.Database, unit: Unit): BlobPlaces {
  const list = db.prepare('SELECT place FROM blob_places ORDER BY rowid').pluck()
  const insert = db.prepare('INSERT INTO blob_places (place, since) VALUES (?, ?)')
  const trajectory = db.prepare(TRAJECTORY)
  const reply = db.prepare(REPLY)
  return {
    list: () => unit.read(() => list.all() as string[]),
    add: (place, since) => unit.write(() => void insert.run(place, since)),
    sample: () => unit.read(() => ((trajectory.get() ?? reply.get()) as OutsideSample | undefined) ?? null),
  }
}
