import type { BlobStore } from '../../ports/blob-ports.ts'
import type { Db } from '../db.ts'
import { needsPlace, type Outside } from '../outside.ts'
import { insertOf } from '../statements.ts'
import { StorageError } from '../storage-error.ts'

/** A column that holds a reference. */
interface OutsideSample {
  /** The attempt; null: the document of a trajectory. */
  readonly attempt: string | null
  readonly stored: Buffer
}

/** What stands before a reference, and never before a text. */
const REFERENCE = Buffer.of(0xfe)

const SAMPLE = `
  SELECT * FROM (
    SELECT NULL AS attempt, document AS stored FROM trajectories WHERE outside_bytes IS NOT NULL LIMIT 1) AS documents
  UNION ALL SELECT * FROM (
    SELECT id, CASE WHEN substr(raw_reply, 1, 1) = $1 THEN raw_reply ELSE reply_text END
    FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1) AS replies
  LIMIT 1`

type BlobPlaces = ReturnType<typeof createBlobPlaces>

/** What a database says of its large data. */
export const createBlobPlaces = (db: Pick<Db, 'rows' | 'run'>) => ({
  /** Where it lay, the newest last. */
  async list(): Promise<readonly string[]> {
    const rows = await db.rows<{ place: string }>('SELECT place FROM blob_places ORDER BY seq')
    return rows.map(({ place }) => place)
  },
  add: async (place: string, since: string) => void (await db.run(...insertOf('blob_places', { place, since }))),
  /** Some of what lies outside; null: nothing does. */
  sample: async () => (await db.rows<OutsideSample>(SAMPLE, [REFERENCE]))[0] ?? null,
})

/**
 * Makes sure that every process that opens a database can read what lies outside of it, and writes the place down before anything is put there.
 * Where the place is the one that is written down already nothing is asked of it, so that a start needs no network. Throws a
 * StorageError that says what to do.
 */
export async function settlePlace(places: BlobPlaces, blobs: BlobStore | null, outside: Outside): Promise<void> {
  const known = await places.list()
  const last = known.at(-1)
  if (last === blobs?.place) return
  const sample = last === undefined ? null : await places.sample()
  if (sample !== null && blobs === null) throw needsPlace(known)
  if (sample !== null && blobs !== null && last !== undefined) await assertMoved(sample, outside, last, blobs.place)
  if (blobs !== null) await places.add(blobs.place, new Date().toISOString())
}

async function assertMoved(sample: OutsideSample, outside: Outside, from: string, to: string): Promise<void> {
  const { attempt, stored } = sample
  try {
    await outside.fetch(attempt === null ? { kind: 'trajectory' } : { kind: 'reply', attempt }, stored)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    throw new StorageError(
      error.code,
      `large data of this database lies at ${from}, and VERIDICT_BLOBS is ${to}: copy all objects there first (docs/blobs.md); ${error.message}`,
      { cause: error },
    )
  }
}
