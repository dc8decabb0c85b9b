import type { Sql } from '../postgres/pool.ts'
import { StorageError } from '../storage-error.ts'
import type { Value } from './row.ts'
import type { Totals } from './table-digest.ts'

/** How far a table is: it holds the first `rows` rows of the source, in the order of its key. */
export interface TableProgress {
  readonly rows: number
  /** The key of the last row that was written; null: none was. */
  readonly after: readonly Packed[] | null
  readonly whole: boolean
}

/** A row in the settings of a schema: a move is at work here, or made it. */
export interface Marker {
  readonly version: 1
  /** The run that writes; an earlier one that still lives finds another name here and ends. */
  readonly run: string
  readonly state: 'moving' | 'moved'
  readonly begun_at: string
  readonly ended_at: string | null
  /** Of the whole move, where this is the main schema. */
  readonly projects: readonly string[]
  readonly fingerprint: string
  readonly source: Readonly<Record<string, Totals>>
  readonly tables: Readonly<Record<string, TableProgress>>
}

const NAME = 'store_move'
const READ = 'SELECT value FROM settings WHERE name = $1'

type Reader = Pick<Sql, 'rows'>

/** Null where nothing was moved into this schema. With `lock`, nobody else changes it until the transaction ends. */
export async function readMarker(sql: Reader, lock = false): Promise<Marker | null> {
  const [row] = await sql.rows<{ value: Buffer }>(lock ? `${READ} FOR UPDATE` : READ, [NAME])
  if (row === undefined) return null
  const marker = JSON.parse(row.value.toString('utf8')) as Marker
  if (marker.version !== 1)
    throw new StorageError('storage_error', 'another version of Veridict moves or has moved this store; use that one')
  return marker
}

const toValues = (marker: Marker) => [NAME, Buffer.from(JSON.stringify(marker))]

/** Where there is none; rejects where another run was faster. */
export async function addMarker(sql: Pick<Sql, 'run'>, marker: Marker): Promise<void> {
  const text = 'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING'
  if ((await sql.run(text, toValues(marker))) === 0)
    throw new StorageError('storage_error', 'another `veridict migrate-store` has begun in this instant')
}

/** In the place of the one that is there. */
export const writeMarker = async (sql: Pick<Sql, 'run'>, marker: Marker): Promise<void> =>
  void (await sql.run('UPDATE settings SET value = $2 WHERE name = $1', toValues(marker)))

/** Rejects with a StorageError where the schema holds a part of a store only: who works with it would grade again what is still to come. */
export async function assertWhole(unit: Reader): Promise<void> {
  const marker = await readMarker(unit)
  if (marker?.state === 'moving')
    throw new StorageError(
      'storage_error',
      'this store is half moved: `veridict migrate-store` has begun to fill it and has not ended; run the same command again to its end',
    )
}

/** A part of a key as JSON carries it. */
export type Packed = readonly ['integer' | 'real' | 'text' | 'bytes', string]

export function packKey(key: readonly Value[]): Packed[] {
  return key.map((value) => {
    if (typeof value === 'bigint') return ['integer', value.toString()]
    if (typeof value === 'number') return ['real', String(value)]
    if (typeof value === 'string') return ['text', value]
    if (value === null) throw new Error('a key has no null')
    return ['bytes', Buffer.from(value).toString('hex')]
  })
}

export const unpackKey = (key: readonly Packed[]): Value[] =>
  key.map(([kind, text]) => {
    if (kind === 'integer') return BigInt(text)
    if (kind === 'real') return Number(text)
    return kind === 'text' ? text : Buffer.from(text, 'hex')
  })
