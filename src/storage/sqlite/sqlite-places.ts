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

const OF_ANOTHER = /^(.*?)(?: \(project ([a-z0-9-]+)\))?$/

/**
 * A database that is made another project's: its large data lies in the folder of the first, where it is looked for no more. That is
 * written down as another place, so that it is not opened before a sample is found in the new folder.
 */
export function leaveFolder(db: Database.Database, from: string | null, to: string, since: string): void {
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'blob_places'").get() !== undefined
  if (!has || from === null || from === to) return
  if ((db.prepare(TRAJECTORY).get() ?? db.prepare(REPLY).get()) === undefined) return
  const last = db.prepare('SELECT place FROM blob_places ORDER BY rowid DESC LIMIT 1').pluck().get()
  if (typeof last !== 'string') return
  // One that was made another's before and never opened since: the folder is still that of the first.
  const [, place = last, owner = from] = OF_ANOTHER.exec(last) ?? []
  const next = owner === to ? place : `${place} (project ${owner})`
  if (next !== last) db.prepare('INSERT INTO blob_places (place, since) VALUES (?, ?)').run(next, since)
}
