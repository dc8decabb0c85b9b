import type Database from 'better-sqlite3'
import type { StoredTrajectory, TrajectoryStore } from '../grading/ports.ts'
import { LARGE, nextTurn } from '../grading/turns.ts'
import type { Outside } from './outside.ts'
import { packLongText, packText, parseStored, unpackText } from './stored-text.ts'
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

export function createTrajectoryStore(db: Database.Database, unit: Unit, outside: Outside): TrajectoryStore {
  const exists = db.prepare('SELECT 1 FROM trajectories WHERE id = ?').pluck()
  const insert = db.prepare(INSERT)
  const select = db.prepare('SELECT id, format, document, created_at FROM trajectories WHERE id = ?')
  return {
    async put({ id, format, document }, at) {
      // Compressed before the write lock is taken, and not at all where the document is known.
      if (await unit.read(() => exists.get(id) !== undefined)) return false
      const packed = await packDocument(document)
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
  }
}

/** A large one is compressed in zlib’s threads, between turns of everybody else. */
async function packDocument(document: Record<string, unknown>): Promise<Buffer> {
  const text = JSON.stringify(document)
  if (text.length <= LARGE) return packText(text, 0)
  await nextTurn()
  const bytes = await packLongText(text)
  await nextTurn()
  return bytes
}
