import type { Grade } from '../schemas/grade.ts'
import { EXPORT_RECORDS, type ExportKind, type ExportRecord, type RecordOf } from '../schemas/transfer.ts'
import type { Db } from './db.ts'
import { OUTSIDE, refuseOutside } from './old-store.ts'
import { insertOf, ONCE } from './statements.ts'
import { packText, parseStored, unpackText } from './stored-text.ts'
import { COMPRESS_ABOVE } from './stores/attempt-rows.ts'
import { countEvidence, renderGrade } from './stores/grades.ts'
import { renderReview } from './stores/reviews.ts'

const ATTEMPT_COLUMNS = Object.keys(EXPORT_RECORDS.attempt.properties).filter((name) => name !== 'kind')

/** The tables of the records; a kind comes behind the kinds that it refers to. */
export const TABLES = { trajectory: 'trajectories', attempt: 'attempts', grade: 'grades', review: 'reviews' } as const

/** Calls in flight are left out: their end is unknown. */
const EXPORTED: Readonly<Record<ExportKind, string>> = {
  trajectory: 'SELECT id, format, document, created_at FROM trajectories',
  attempt: `SELECT ${ATTEMPT_COLUMNS.join(', ')} FROM attempts WHERE outcome <> 'sent' ORDER BY seq`,
  grade: `SELECT id, ground_truth, body, silent, CASE WHEN EXISTS (
      SELECT 1 FROM current_grades AS c WHERE c.key = grades.key AND c.grade_id = grades.id
    ) THEN 1 ELSE 0 END AS answers FROM grades ORDER BY id`,
  review: 'SELECT id, body FROM reviews ORDER BY id',
}

/** Reads the rows of one SELECT in their order, a few at a time, all statements from one state of the database. */
export type ReadRows = <T>(text: string) => AsyncIterable<T> | Iterable<T>

/** Yields every record of a database. Rejects with a StorageError where bytes of a row are damaged. */
export async function* exportRecords(read: ReadRows): AsyncGenerator<ExportRecord> {
  for await (const _row of read(OUTSIDE)) throw refuseOutside()
  for (const kind of Object.keys(EXPORTED) as ExportKind[])
    for await (const row of read<object>(EXPORTED[kind])) yield toRecord(kind, row)
}

function toRecord(kind: ExportKind, row: object): ExportRecord {
  const decode = ([name, value]: [string, unknown]) => {
    if (name === 'silent' || name === 'answers') return [name, value === 1]
    return [name, value instanceof Uint8Array ? unpackText(value) : value]
  }
  return { kind, ...Object.fromEntries(Object.entries(row).map(decode)) } as ExportRecord
}

/** Of two grades of one key the newer grade answers: ids sort by age. */
const ANSWER = `
  INSERT INTO current_grades (key, grade_id) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id WHERE excluded.grade_id > current_grades.grade_id`

export type ImportStore = ReturnType<typeof createImportStore>

export const createImportStore = (db: Db) => ({
  /** Tells whether a record of this id is stored. */
  has: async (kind: ExportKind, id: string): Promise<boolean> =>
    (await db.rows(`SELECT id FROM ${TABLES[kind]} WHERE id = $1`, [id])).length > 0,

  /** Stores the records of new ids in one unit of work. Returns the stored records. */
  put(records: readonly ExportRecord[]): Promise<ExportRecord[]> {
    const rows = records.map((record) => RENDER[record.kind](record as never, db.isShared))
    return db.write(function* (sql) {
      const added: ExportRecord[] = []
      for (const [at, record] of records.entries()) {
        if ((yield* sql.run(...insertOf(TABLES[record.kind], rows[at] as object, ONCE))) === 0) continue
        added.push(record)
        if (record.kind !== 'grade') continue
        const grade = parseStored<Grade>(record.body)
        if (!record.silent) yield* sql.addEvidence(countEvidence(grade))
        if (record.answers) yield* sql.run(ANSWER, [grade.receipt.key, grade.id])
      }
      return added
    })
  },
})

const packReply = (reply: string | null) => (reply === null ? null : packText(reply, COMPRESS_ABOVE))

const RENDER: { readonly [K in ExportKind]: (record: RecordOf<K>, isShared: boolean) => object } = {
  trajectory: ({ id, format, document, created_at }) => ({ id, format, document: packText(document, 0), created_at }),
  attempt(record) {
    const row = { ...record, reply_text: packReply(record.reply_text), raw_reply: packReply(record.raw_reply) }
    return Object.fromEntries(ATTEMPT_COLUMNS.map((name) => [name, row[name as keyof typeof row]]))
  },
  grade({ ground_truth, body, silent }, isShared) {
    const parsed = { grade: parseStored<Grade>(body), ground_truth: parseStored<object>(ground_truth), silent }
    return { ...renderGrade(parsed as never, isShared), ground_truth, body }
  },
  review: ({ body }) => ({ ...renderReview(parseStored(body)), body }),
}
