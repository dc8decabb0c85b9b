import type Database from 'better-sqlite3'
import { LARGE, nextTurn } from '../../asking/turns.ts'
import type { StoredTrajectory, TrajectoryStore } from '../../ports/ports.ts'
import type { Outside } from '../outside.ts'
import { findPacked, packApart, packBytes, parseStored, textOf, unpackText } from '../stored-text.ts'
import type { Unit } from './unit.ts'

interface Row {
  readonly id: StoredTrajectory['id']
  readonly format: string
  readonly document: Buffer
  readonly created_at: string
}

const INSERT = `
  INSERT INTO trajectories (id, format, document, created_at, outside_bytes) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`

const NEWEST = 'ORDER BY rowid DESC LIMIT @limit'
const OLDER = 'WHERE rowid < (SELECT rowid FROM trajectories WHERE id = @before)'

export function createTrajectoryStore(db: Database.Database, unit: Unit, outside: Outside): TrajectoryStore {
  const exists = db.prepare('SELECT 1 FROM trajectories WHERE id = ?').pluck()
  const insert = db.prepare(INSERT)
  const select = db.prepare('SELECT id, format, document, created_at FROM trajectories WHERE id = ?')
  const selectDocument = db.prepare('SELECT document FROM trajectories WHERE id = ?').pluck()
  const newest = db.prepare(`SELECT id FROM trajectories ${NEWEST}`).pluck()
  const older = db.prepare(`SELECT id FROM trajectories ${OLDER} ${NEWEST}`).pluck()
  const count = db.prepare('SELECT count(*) FROM trajectories').pluck()
  return {
    async put({ id, format, document }, at) {
      // Compressed before the write lock is taken, and not at all where the document is known.
      if (await unit.read(() => exists.get(id) !== undefined)) return false
      const packed = findPacked(document) ?? (await packDocument(document))
      const bytes = await outside.keep({ kind: 'trajectory' }, packed)
      const outsideBytes = bytes === packed ? null : packed.length
      return unit.write(() => insert.run(id, format, bytes, at, outsideBytes).changes === 1)
    },
    async get(id) {
      const row = await unit.read(() => select.get(id) as Row | undefined)
      if (row === undefined) return null
      const packed = await outside.fetch({ kind: 'trajectory' }, row.document)
      return { ...row, document: parseStored<Record<string, unknown>>(unpackText(packed)) }
    },
    async getPacked(id) {
      const stored = await unit.read(() => selectDocument.get(id) as Buffer | undefined)
      return stored === undefined ? null : outside.fetch({ kind: 'trajectory' }, stored)
    },
    listIds: (query) =>
      unit.read(() => (query.before === undefined ? newest : older).all({ ...query }) as StoredTrajectory['id'][]),
    count: () => unit.read(() => count.get() as number),
  }
}

/** From this length on a text is compressed in zlib’s threads: a shorter one would wait for them longer than it takes. */
const COMPRESSED_APART = 128 * 1024

/** A large one is made between turns of everybody else. */
async function packDocument(document: Record<string, unknown>): Promise<Buffer> {
  const text = textOf(document)
  if (text.length <= LARGE) return text.length < COMPRESSED_APART ? packBytes(text) : packApart(text)
  await nextTurn()
  const bytes = await packApart(text)
  await nextTurn()
  return bytes
}
