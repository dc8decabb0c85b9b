import { isDeepStrictEqual } from 'node:util'
import type { ImportEnd, ImportStore } from '../../ports/transfer-ports.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { ExportRecord } from '../../schemas/transfer.ts'
import type { Db, Sql, Work } from '../db.ts'
import { insertOf, ONCE } from '../statements.ts'
import { packText, parseStored } from '../stored-text.ts'
import { ATTEMPT_COLUMNS, EXPORTED_ROWS, toRecord } from '../transfer/record-rows.ts'
import { COMPRESS_ABOVE } from './attempt-rows.ts'
import { countEvidence, renderGrade } from './grades.ts'
import { renderReview } from './reviews.ts'

/** Of two grades of one key the newer one answers: ids sort by age. */
const ANSWER = `
  INSERT INTO current_grades (key, grade_id) VALUES ($1, $2)
  ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id WHERE excluded.grade_id > current_grades.grade_id`

/** Stores the records of exports. */
export function createImportStore(db: Db): ImportStore {
  /** Compares a record with the stored one of the same id; whether a grade answers its key may differ. */
  async function compare(record: ExportRecord): Promise<ImportEnd> {
    const { kind, id } = record
    const [row] = await db.rows<{ id: string }>(`SELECT * FROM (${EXPORTED_ROWS[kind]}) AS kept WHERE id = $1`, [id])
    if (row === undefined) return { refused: `${kind} ${id} is a call in flight here` }
    const stored = toRecord(kind, row)
    const isSame =
      kind === 'trajectory' || isDeepStrictEqual({ ...stored, answers: null }, { ...record, answers: null })
    return isSame ? 'stored' : { refused: `another ${kind} is stored under the id ${id}` }
  }
  return {
    async put(records) {
      const packed = records.map((record) => rowOf(record, db.isShared))
      const ends = await db.write(function* (sql) {
        const found: (ImportEnd | null)[] = []
        for (const [at, record] of records.entries()) found.push(yield* add(sql, record, packed[at] as object))
        return found
      })
      return await Promise.all(records.map((record, at) => ends[at] ?? compare(record)))
    },
  }
}

/** Adds a record. Answers null where its id is stored already. */
function* add(sql: Sql, record: ExportRecord, row: object): Work<ImportEnd | null> {
  if (record.kind === 'review') {
    const { grade_id } = row as { readonly grade_id: string }
    const grades = yield* sql.rows('SELECT 1 FROM grades WHERE id = $1', [grade_id])
    if (grades.length === 0) return { refused: `review ${record.id}: its grade ${grade_id} is not stored` }
  }
  const table = TABLES[record.kind]
  if ((yield* sql.run(...insertOf(table, row, ONCE))) === 0) return null
  if (record.kind !== 'grade') return 'added'
  const grade = parseStored<Grade>(record.body)
  if (!record.silent) yield* sql.addEvidence(countEvidence(grade))
  if (record.answers) yield* sql.run(ANSWER, [grade.receipt.key, grade.id])
  return 'added'
}

const TABLES = { trajectory: 'trajectories', attempt: 'attempts', grade: 'grades', review: 'reviews' } as const

function rowOf(record: ExportRecord, isShared: boolean): object {
  switch (record.kind) {
    case 'trajectory': {
      const { id, format, document, created_at } = record
      return { id, format, document: packText(document, 0), created_at }
    }
    case 'attempt': {
      const pack = (reply: string | null) => (reply === null ? null : packText(reply, COMPRESS_ABOVE))
      const row = { ...record, reply_text: pack(record.reply_text), raw_reply: pack(record.raw_reply) }
      return Object.fromEntries(ATTEMPT_COLUMNS.map((name) => [name, row[name as keyof typeof row]]))
    }
    case 'grade': {
      const { ground_truth, body, silent } = record
      const parsed = { grade: parseStored<Grade>(body), ground_truth: parseStored<object>(ground_truth), silent }
      return { ...renderGrade(parsed as never, isShared), ground_truth, body }
    }
    default:
      return { ...renderReview(parseStored(record.body)), body: record.body }
  }
}
