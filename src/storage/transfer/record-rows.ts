import { digestValue } from '../../domain/digest.ts'
import { parseJson } from '../../domain/text/exact-json.ts'
import { ReviewSchema } from '../../schemas/audit/review.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type Grade, GradeSchema } from '../../schemas/grade.ts'
import { EXPORT_RECORDS, type ExportKind, type ExportRecord } from '../../schemas/transfer.ts'
import { unpackText } from '../stored-text.ts'

type RecordOf<K extends ExportKind> = Extract<ExportRecord, { readonly kind: K }>

export const ATTEMPT_COLUMNS = Object.keys(EXPORT_RECORDS.attempt.properties).filter((name) => name !== 'kind')

/** The rows of each kind, in the order in which an import can store them. Calls in flight are left out: their end is unknown. */
export const EXPORTED_ROWS: Readonly<Record<ExportKind, string>> = {
  trajectory: 'SELECT id, format, document, created_at FROM trajectories',
  attempt: `SELECT ${ATTEMPT_COLUMNS.join(', ')} FROM attempts WHERE outcome <> 'sent'`,
  grade: `SELECT id, ground_truth, body, silent, CASE WHEN EXISTS (
      SELECT 1 FROM current_grades AS c WHERE c.key = grades.key AND c.grade_id = grades.id
    ) THEN 1 ELSE 0 END AS answers FROM grades`,
  review: 'SELECT id, body FROM reviews',
}

interface Row {
  readonly id: string
  readonly document?: Buffer
  readonly reply_text?: Buffer | null
  readonly raw_reply?: Buffer | null
  readonly silent?: number
  readonly answers?: number
}

/** Makes the record of a row of `EXPORTED_ROWS`. Throws a StorageError where its bytes are damaged. */
export function toRecord(kind: ExportKind, row: Row): ExportRecord {
  const textOf = (bytes: Buffer | null = null) => (bytes === null ? null : unpackText(bytes))
  const texts = {
    trajectory: () => ({ document: textOf(row.document) }),
    attempt: () => ({ reply_text: textOf(row.reply_text), raw_reply: textOf(row.raw_reply) }),
    grade: () => ({ silent: row.silent === 1, answers: row.answers === 1 }),
    review: () => ({}),
  }
  return { kind, ...row, ...texts[kind]() } as unknown as ExportRecord
}

/** Reads a line of an export as a record; a text says why the line cannot be stored. */
export function readRecord(value: unknown): ExportRecord | string {
  const { kind } = (value ?? {}) as { readonly kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(EXPORT_RECORDS, kind)) return 'a record of an unknown kind'
  const [issue] = inputIssues(EXPORT_RECORDS[kind as ExportKind], value)
  if (issue !== undefined) return `${kind}${issue.path} ${issue.message}`
  const record = value as ExportRecord
  const fault = FAULTS[record.kind](record as never)
  return fault === null ? record : `${kind} ${record.id}: ${fault}`
}

const FAULTS: { readonly [K in ExportKind]: (record: RecordOf<K>) => string | null } = {
  trajectory: ({ id, document }) => (digestOf(document) === id ? null : 'its document has another digest than its id'),
  attempt({ outcome, reply_text, raw_reply, usage }) {
    if (outcome === 'ok' && (reply_text === null || raw_reply === null)) return 'a good call without its reply'
    return usage === null || isObject(parseJson(usage)) ? null : 'its usage is no JSON object'
  },
  grade({ id, body, ground_truth, silent, answers }) {
    const grade = parseJson(body)
    const fault = bodyFault(GradeSchema, grade, id)
    if (fault !== null) return fault
    const { status, label, claimed_label } = grade as Grade
    if ((status === 'graded') !== (label !== null)) return 'only a graded grade has a label, and it has one'
    if (status === 'failed' && (claimed_label !== null || answers)) return 'a failed grade claims and answers nothing'
    if (silent && answers) return 'a recheck answers nothing'
    return isObject(parseJson(ground_truth)) ? null : 'its ground truth is no JSON object'
  },
  review: ({ id, body }) => bodyFault(ReviewSchema, parseJson(body), id),
}

/** Computes the digest of a JSON text; null where the text is nested deeper than the stack. */
function digestOf(document: string): string | null {
  try {
    return digestValue(parseJson(document))
  } catch {
    return null
  }
}

function bodyFault(schema: object, body: unknown, id: string): string | null {
  const [issue] = inputIssues(schema, body)
  if (issue !== undefined) return `its body: ${issue.path} ${issue.message}`
  return (body as { readonly id: string }).id === id ? null : 'its body has another id'
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
