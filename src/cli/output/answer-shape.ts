import { NAMED_BY } from '../../schemas/audit/grade-overview.ts'
import { BATCH_STATUSES, GRADE_STATUSES, ITEM_STATUSES } from '../../schemas/vocabulary.ts'
import { CliError } from '../client/cli-error.ts'
import { oneLine } from '../results/terminal-text.ts'

/** Whether an answer is what was asked for, as far as a command relies on it: a newer service may say more. */
export type Shape = (value: unknown) => boolean

const isText: Shape = (value) => typeof value === 'string'
const isNumber: Shape = (value) => typeof value === 'number'
const isList: Shape = Array.isArray
/** Ids and times: they are printed as they are. */
const isPlain: Shape = (value) => typeof value === 'string' && value.length <= 200 && /^[\x21-\x7e]+$/.test(value)
const oneOf =
  (words: readonly string[]): Shape =>
  (value) =>
    words.some((word) => word === value)
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape)
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value)
const orAbsent =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value)
/** An object whose members have these shapes; any others are as they are. */
function record(shapes: Readonly<Record<string, Shape>> = {}): Shape {
  const entries = Object.entries(shapes)
  return (value) => isRecord(value) && entries.every(([name, shape]) => shape(value[name]))
}
const recordWith = (shape: Shape, ...names: readonly string[]): Shape =>
  record(Object.fromEntries(names.map((name) => [name, shape])))
const items = (shape: Shape): Shape => record({ items: listOf(shape) })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTally: Shape = (value) =>
  isRecord(value) && Object.entries(value).every(([word, n]) => isPlain(word) && isNumber(n))

export const isBatch = record({
  id: isPlain,
  status: oneOf(BATCH_STATUSES),
  counts: recordWith(isNumber, 'total', 'pending', 'running', 'graded', 'unverified', 'failed', 'cancelled'),
  calls: recordWith(isNumber, 'made', 'unknown'),
  labels: isTally,
  failures: isTally,
  round: orAbsent(
    record({
      ...{ number: isNumber, questions: isNumber, begun_at: isPlain, ends_by: isPlain },
      usual_seconds: orNull(isNumber),
    }),
  ),
  created_at: isPlain,
  finished_at: orNull(isPlain),
  resumes_at: orNull(isPlain),
})
export const isBatchPage = record({ items: listOf(isBatch), next_cursor: (value) => value !== undefined })
export const isEstimate = record({
  ...{ items: isNumber, cached: isNumber, to_grade: isNumber, judges: isList },
  likely: recordWith(isNumber, 'calls', 'input_tokens', 'output_tokens'),
})
export const isComparison = record({ pairs: isNumber, same: isNumber, flipped: isNumber, flips: isList })
export const isReport = recordWith(isList, 'judges', 'groups', 'evidence', 'notes')

const isUnread = recordWith(isNumber, 'records', 'actions')
export const isResult = record({
  item_id: isText,
  status: oneOf(ITEM_STATUSES),
  label: orNull(isPlain),
  grade: orNull(record({ confidence: record(), unmet: isList, contradictions: isList, unread: orNull(isUnread) })),
  metadata: record(),
})
export const isGrade = record({
  id: isPlain,
  status: oneOf(GRADE_STATUSES),
  confidence: record(),
  ...{ citations: isList, unmet: isList, contradictions: isList },
  receipt: record({ attempts: isList, unread: orAbsent(isUnread) }),
  metadata: record(),
})
export const isOverview = record({ names: recordWith(listOf(isText), ...NAMED_BY) })
export const isCalls = items(recordWith(isText, 'id', 'outcome'))
export const isBatchCall = record({ id: isText, outcome: isText, judge: isText, grade_id: orNull(isPlain) })
export const isJudges = items(recordWith(isText, 'name', 'description'))
export const isRubric = record({
  ...{ name: isText, title: isText, digest: isText, system: isText, question: isText },
  answer_schema: record(),
})
/** Ids of claims become columns. */
export const isAskedRubrics = items(record({ name: isText, claims: listOf(record({ id: isPlain })) }))
export const isRubrics = items(recordWith(isText, 'name', 'title'))
export const isUploaded = record({ id: isPlain })

/** The JSON of an answer. Throws `CliError` where something else answers than a Veridict service. */
export function parseAnswer<T>(base: string, text: string, shape: Shape): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw strange(base, 'something that is not JSON')
  }
  if (!shape(value)) throw strange(base, 'JSON that says something else than was asked')
  return value as T
}

const strange = (base: string, what: string): CliError =>
  new CliError(`${oneLine(base)} answered ${what}: is this a Veridict service?`, [
    '--server and VERIDICT_SERVER take the address that `veridict serve` logs, like http://127.0.0.1:8787',
  ])
