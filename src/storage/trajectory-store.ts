import type Database from 'better-sqlite3'
import type { StoredTrajectory, TrajectoryStore } from '../grading/ports.ts'
import { compress, decompress } from './compress.ts'
import type { Unit } from './sqlite.ts'

interface Row {
  readonly id: StoredTrajectory['id']
  readonly format: string
  readonly document: Buffer
  readonly created_at: string
}

export function createTrajectoryStore(db: Database.Database, unit: Unit): TrajectoryStore {
  const exists = db.prepare('SELECT 1 FROM trajectories WHERE id = ?').pluck()
  const insert = db.prepare(
    'INSERT INTO trajectories (id, format, document, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
  )
  const select = db.prepare('SELECT id, format, document, created_at FROM trajectories WHERE id = ?')
  return {
    async put({ id, format, document }, at) {
      if (await unit.read(() => exists.get(id) !== undefined)) return false
      const bytes = compress(JSON.stringify(document))
      return unit.write(() => insert.run(id, format, bytes, at).changes === 1)
    },
    get: (id) =>
      unit.read(() => {
        const row = select.get(id) as Row | undefined
        return row ? { ...row, document: JSON.parse(decompress(row.document)) as Record<string, unknown> } : null
      }),
  }
}
