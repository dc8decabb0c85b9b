import type { StoredTrajectory, TrajectoryStore } from '../../ports/ports.ts'
import type { Db } from '../db.ts'
import { insertOf, ONCE } from '../statements.ts'
import { isPacked, packApart, packBytes, parseStored, textOf, unpackText } from '../stored-text.ts'

export function createTrajectoryStore(db: Db): TrajectoryStore {
  return {
    async put({ id, format, document }, at) {
      // Compressed before the write lock is taken, and neither compressed nor sent where the document is known.
      if ((await db.rows('SELECT 1 FROM trajectories WHERE id = $1', [id])).length > 0) return false
      const row = { id, format, document: await packDocument(document), created_at: at }
      return (await db.write((sql) => sql.run(...insertOf('trajectories', row, ONCE)))) === 1
    },
    async get(id) {
      const [row] = await db.rows<Omit<StoredTrajectory, 'document'> & { readonly document: Buffer }>(
        'SELECT id, format, document, created_at FROM trajectories WHERE id = $1',
        [id],
      )
      if (row === undefined) return null
      return { ...row, document: parseStored<Record<string, unknown>>(unpackText(row.document)) }
    },
    async getPacked(id) {
      const [row] = await db.rows<{ document: Buffer }>('SELECT document FROM trajectories WHERE id = $1', [id])
      return row?.document ?? null
    },
  }
}

/** From this length on a text is compressed in zlib’s threads: a shorter one would wait for them longer than it takes. */
const COMPRESSED_APART = 128 * 1024

/** Packs a document for the store. */
async function packDocument(document: Record<string, unknown>): Promise<Buffer> {
  const text = textOf(document)
  if (isPacked(text)) return text
  return text.length < COMPRESSED_APART ? packBytes(text) : packApart(text)
}
