import { LARGE, nextTurn } from '../../asking/turns.ts'
import type { Digest } from '../../domain/digest.ts'
import type { StoredTrajectory, TrajectoryStore } from '../../ports/ports.ts'
import type { Db } from '../db.ts'
import type { Outside } from '../outside.ts'
import { insertOf, ONCE } from '../statements.ts'
import { isPacked, packApart, packBytes, parseStored, textOf, unpackText } from '../stored-text.ts'

/** Only SQLite’s rows are numbered in the order in which they were written. */
const renderIdsSql = (isShared: boolean, isFurther: boolean): string => {
  const order = isShared ? ['created_at', 'id'] : ['rowid']
  const older = `WHERE (${order.join(', ')}) < (SELECT ${order.join(', ')} FROM trajectories WHERE id = $2) `
  return `SELECT id FROM trajectories ${isFurther ? older : ''}ORDER BY ${order.map((one) => `${one} DESC`).join(', ')} LIMIT $1`
}

export function createTrajectoryStore(db: Db, outside: Outside): TrajectoryStore {
  return {
    async put({ id, format, document }, at) {
      // Compressed before the write lock is taken, and neither compressed nor sent where the document is known.
      if ((await db.rows('SELECT 1 FROM trajectories WHERE id = $1', [id])).length > 0) return false
      const packed = await packDocument(document)
      const stored = await outside.keep({ kind: 'trajectory' }, packed)
      const outside_bytes = stored === packed ? null : packed.length
      const row = { id, format, document: stored, created_at: at, outside_bytes }
      return (await db.write((sql) => sql.run(...insertOf('trajectories', row, ONCE)))) === 1
    },
    async get(id) {
      const [row] = await db.rows<Omit<StoredTrajectory, 'document'> & { readonly document: Buffer }>(
        'SELECT id, format, document, created_at FROM trajectories WHERE id = $1',
        [id],
      )
      if (row === undefined) return null
      const packed = await outside.fetch({ kind: 'trajectory' }, row.document)
      return { ...row, document: parseStored<Record<string, unknown>>(unpackText(packed)) }
    },
    async getPacked(id) {
      const [row] = await db.rows<{ document: Buffer }>('SELECT document FROM trajectories WHERE id = $1', [id])
      return row === undefined ? null : outside.fetch({ kind: 'trajectory' }, row.document)
    },
    async listIds({ limit, before }) {
      const text = renderIdsSql(db.isShared, before !== undefined)
      const rows = await db.rows<{ id: Digest }>(text, before === undefined ? [limit] : [limit, before])
      return rows.map(({ id }) => id)
    },
    async count() {
      const [row] = await db.rows<{ n: number }>('SELECT count(*) AS n FROM trajectories')
      return row?.n ?? 0
    },
  }
}

/** From this length on a text is compressed in zlib’s threads: a shorter one would wait for them longer than it takes. */
const COMPRESSED_APART = 128 * 1024

/** The bytes of a document that are stored. A large one is packed between turns of other requests. */
async function packDocument(document: Record<string, unknown>): Promise<Buffer> {
  const text = textOf(document)
  if (isPacked(text)) return text
  if (text.length <= LARGE) return text.length < COMPRESSED_APART ? packBytes(text) : packApart(text)
  await nextTurn()
  const bytes = await packApart(text)
  await nextTurn()
  return bytes
}
