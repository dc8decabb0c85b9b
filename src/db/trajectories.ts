import { sql as raw } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import { type Db, insert } from './db.ts'
import type { Tables } from './schema.ts'
import { packDocument, parseStored, unpackText } from './text.ts'

/** A stored run; `document`: its source document, as parsed JSON. */
type StoredTrajectory = Readonly<Omit<Tables['trajectories'], 'document'> & { document: Record<string, unknown> }>

export const createTrajectories = (db: Db) => ({
  async put({ id, format, document }: Omit<StoredTrajectory, 'created_at'>, at: string): Promise<boolean> {
    // Compressed before the write lock is taken, and neither compressed nor sent where the document is known.
    if ((await db.read.first`SELECT id FROM trajectories WHERE id = ${id}`) !== undefined) return false
    const row = { id, format, document: packDocument(document), created_at: at }
    return (await db.write((sql) => insert(sql, 'trajectories', row, raw`ON CONFLICT DO NOTHING`))) > 0
  },
  async get(id: Digest): Promise<StoredTrajectory | null> {
    const row = await db.read.first<Tables['trajectories']>`
      SELECT id, format, document, created_at FROM trajectories WHERE id = ${id}`
    return row === undefined ? null : { ...row, document: parseStored(unpackText(row.document)) }
  },
  /** Finds the stored bytes of a document, to be opened beside the event loop. */
  async getPacked(id: Digest): Promise<Uint8Array | null> {
    const row = await db.read.first<{ document: Buffer }>`SELECT document FROM trajectories WHERE id = ${id}`
    return row?.document ?? null
  },
})
