import { linesOf } from '../../../archives/trials/request-lines.ts'
import { digestValue } from '../../../domain/digest.ts'
import { parseJson } from '../../../domain/text/exact-json.ts'
import { ReviewSchema } from '../../../schemas/audit/review.ts'
import { inputIssues } from '../../../schemas/check.ts'
import { type Grade, GradeSchema } from '../../../schemas/grade.ts'
import {
  EXPORT_RECORDS,
  EXPORT_VERSION,
  type ExportKind,
  type ExportRecord,
  type RecordOf,
} from '../../../schemas/transfer.ts'
import { CliError } from '../../client/errors.ts'
import { inert } from '../../output/text.ts'

/** A line holds one trajectory as an escaped text; a text of V8 has at most 512 Mi characters. */
const MOST_LINE_BYTES = 256 * 1024 * 1024
const GROUP = { records: 64, bytes: 4 * 1024 * 1024 }

/** A line of an export: its record, or the fault of the line. */
export interface RecordLine {
  readonly number: number
  readonly record: ExportRecord | string
}

/** Reads the records of an export in groups. A file that broke off ends with a fault. Throws a CliError for another version. */
export async function* readExport(path: string, signal: AbortSignal): AsyncGenerator<RecordLine[]> {
  let group: RecordLine[] = []
  let [bytes, records, last] = [0, 0, 0]
  let end: unknown = null
  for await (const line of linesOf(path, MOST_LINE_BYTES)) {
    signal.throwIfAborted()
    last = line.number
    const value = line.bytes === null ? undefined : parseJson(line.bytes.toString('utf8'))
    const { kind, version, ...more } = (value ?? {}) as Readonly<Record<string, unknown>>
    if (last === 1 && version !== EXPORT_VERSION)
      throw new CliError(`${inert(path)} is an export of version ${inert(String(version))}; this program reads 1`)
    if (kind === 'end') end = more['records']
    if (last === 1 || kind === 'end') continue
    records += 1
    bytes += line.bytes?.length ?? 0
    const record = line.bytes === null ? `more than ${MOST_LINE_BYTES} bytes` : readRecord(value)
    group.push({ number: last, record })
    if (group.length < GROUP.records && bytes < GROUP.bytes) continue
    yield group
    ;[group, bytes] = [[], 0]
  }
  const brokenOff = `the file is not whole: it has ${records} records of ${end ?? 'an unknown number'}`
  yield end === records ? group : [...group, { number: last, record: inert(brokenOff) }]
}

function readRecord(value: unknown): ExportRecord | string {
  if (value === undefined) return 'no JSON: the line is broken'
  const { kind } = (value ?? {}) as { readonly kind?: unknown }
  if (typeof kind !== 'string' || !Object.hasOwn(EXPORT_RECORDS, kind)) return 'a record of an unknown kind'
  const record = value as ExportRecord
  const fault = schemaFault(EXPORT_RECORDS[record.kind], record) ?? FAULTS[record.kind](record as never)
  return fault === null ? record : `${kind} ${String(record.id)}: ${fault}`
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

const bodyFault = (schema: object, body: unknown, id: string): string | null =>
  schemaFault(schema, body, 'its body: ') ?? ((body as Grade).id === id ? null : 'its body has another id')

function schemaFault(schema: object, value: unknown, place = ''): string | null {
  const [issue] = inputIssues(schema, value)
  return issue === undefined ? null : `${place}${issue.path} ${issue.message}`
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
