import { sql as raw } from 'kysely'
import { EXPORT_RECORDS, type ExportKind, type ExportRecord, type RecordOf } from '../../schemas/documents.ts'
import type { Grade } from '../../schemas/grade.ts'
import { columns, type Db, insert, type ReadRows, type Sql } from '../db.ts'
import { renderGrade, replaceCurrent } from '../grades.ts'
import { renderDisposition, renderReview } from '../reviews.ts'
import { packText, parseStored, unpackText } from '../text.ts'

const ATTEMPT_COLUMNS = Object.keys(EXPORT_RECORDS.attempt.properties).filter((name) => name !== 'kind')

const tableOf = (kind: ExportKind) => (kind === 'trajectory' ? 'trajectories' : (`${kind}s` as const))

/** Selects the records of a kind, which comes behind the kinds that it refers to. Calls without an end are left out. */
const EXPORTED: Readonly<Record<ExportKind, string>> = {
  trajectory: 'SELECT id, format, document, created_at FROM trajectories',
  attempt: `SELECT ${ATTEMPT_COLUMNS.join(', ')} FROM attempts WHERE outcome NOT IN ('sent', 'queued', 'void') ORDER BY seq`,
  grade: 'SELECT id, ground_truth, body, silent, is_current AS answers FROM grades ORDER BY id',
  review: 'SELECT id, body FROM reviews ORDER BY id',
  disposition: 'SELECT id, body FROM dispositions ORDER BY id',
}

/** Yields every record of a database. Rejects with a StorageError where bytes of a row are damaged. */
export async function* exportRecords(read: ReadRows): AsyncGenerator<ExportRecord> {
  for (const kind of Object.keys(EXPORTED) as ExportKind[])
    for await (const row of read<object>(EXPORTED[kind]))
      yield { kind, ...Object.fromEntries(Object.entries(row).map(decode)) } as ExportRecord
}

function decode([name, value]: [string, unknown]): [string, unknown] {
  if (name === 'silent' || name === 'answers') return [name, value === 1]
  return [name, value instanceof Uint8Array ? unpackText(value) : value]
}

export type ImportStore = ReturnType<typeof createImports>

export const createImports = (db: Db) => ({
  has: async (kind: ExportKind, id: string): Promise<boolean> =>
    (await db.read.first`SELECT id FROM ${columns([tableOf(kind)])} WHERE id = ${id}`) !== undefined,

  /** Stores the records of new ids in one unit of work. Returns the stored records. */
  put(records: readonly ExportRecord[]): Promise<ExportRecord[]> {
    const rows = records.map((record) => RENDER[record.kind](record as never))
    return db.write(async (sql) => {
      const added: ExportRecord[] = []
      for (const [at, record] of records.entries()) {
        if ((await insert(sql, tableOf(record.kind), rows[at] as never, raw`ON CONFLICT DO NOTHING`)) === 0) continue
        added.push(record)
        if (record.kind === 'grade' && record.answers) await answerBy(sql, parseStored<Grade>(record.body))
      }
      return added
    })
  },
})

/** Lets a grade answer its key unless a newer grade does: ids sort by age. */
async function answerBy(sql: Sql, { id, receipt: { key } }: Grade): Promise<void> {
  const current = await sql.first<{ id: string }>`SELECT id FROM grades WHERE key = ${key} AND is_current = 1`
  if (current !== undefined && current.id > id) return
  await replaceCurrent(sql, key)
  await sql.run`UPDATE grades SET is_current = 1 WHERE id = ${id}`
}

const RENDER: { readonly [K in ExportKind]: (record: RecordOf<K>) => object } = {
  trajectory: ({ id, format, document, created_at }) => ({ id, format, document: packText(document, 0), created_at }),
  attempt: (record) => Object.fromEntries(ATTEMPT_COLUMNS.map((name) => [name, record[name as keyof typeof record]])),
  grade({ ground_truth, body, silent }) {
    const parsed = { grade: parseStored<Grade>(body), ground_truth: parseStored<object>(ground_truth), silent }
    return { ...renderGrade(parsed as never), ground_truth, body, is_current: 0 }
  },
  review: ({ body }) => ({ ...renderReview(parseStored(body)), body }),
  disposition: ({ body }) => ({ ...renderDisposition(parseStored(body)), body }),
}
