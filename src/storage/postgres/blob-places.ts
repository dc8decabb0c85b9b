import type { BlobStore } from '../../ports/blob-ports.ts'
import { createOutside, type Outside } from '../outside.ts'
import { type BlobPlaces, type OutsideSample, settlePlace } from '../sqlite/blob-places.ts'
import { insertOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const SAMPLE = `
  (SELECT NULL AS attempt, document AS stored FROM trajectories WHERE outside_bytes IS NOT NULL LIMIT 1)
  UNION ALL
  (SELECT id, CASE WHEN substring(raw_reply FROM 1 FOR 1) = '\\xfe' THEN raw_reply ELSE reply_text END
    FROM attempts WHERE outside_bytes IS NOT NULL LIMIT 1)
  LIMIT 1`

/** Where the large data of one schema lies. */
function createBlobPlaces(unit: Unit): BlobPlaces {
  return {
    async list() {
      const rows = await unit.rows<{ place: string }>('SELECT place FROM blob_places ORDER BY seq')
      return rows.map(({ place }) => place)
    },
    add: async (place, since) => void (await unit.run(...insertOf('blob_places', { place, since }))),
    sample: async () => (await unit.rows<OutsideSample>(SAMPLE))[0] ?? null,
  }
}

/** Large columns of one schema. Rejects with a StorageError where what lies outside of it cannot be had. */
export async function openOutside(unit: Unit, blobs: BlobStore | null): Promise<Outside> {
  const places = createBlobPlaces(unit)
  const outside = createOutside(blobs, () => places.list())
  await settlePlace(places, blobs, outside)
  return outside
}
