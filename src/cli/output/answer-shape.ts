import { NAMED_BY } from '../../schemas/audit/grade-overview.ts'
import { BATCH_STATUSES, GRADE_STATUSES, ITEM_STATUSES } from '../../schemas/vocabulary.ts'
import { CliError } from '../client/cli-error.ts'
import { oneLine } from '../results/terminal-text.ts'

/** Whether an answer is what was asked for, as far as a command relies on it: a newer service may say more. */
export type Shape = (value: unknown) => boolean

export const isBatch: Shape = (value) =>
  isRecord(value) &&
  isPlain(value['id']) &&
  isOneOf(BATCH_STATUSES, value['status']) &&
  hasNumbers(value['counts'], 'total', 'pending', 'running', 'graded', 'unverified', 'failed', 'cancelled') &&
  hasNumbers(value['calls'], 'made', 'unknown') &&
  isTally(value['labels']) &&
  isTally(value['failures']) &&
  (value['round'] === undefined || isRound(value['round'])) &&
  isPlain(value['created_at']) &&
  (value['finished_at'] === null || isPlain(value['finished_at'])) &&
  (value['resumes_at'] === null || isPlain(value['resumes_at']))

const isRound = (value: unknown): boolean =>
  hasNumbers(value, 'number', 'questions') &&
  isRecord(value) &&
  isPlain(value['begun_at']) &&
  isPlain(value['ends_by']) &&
  (value['usual_seconds'] === null || typeof value['usual_seconds'] === 'number')

export const isBatchPage: Shape = (value) =>
  isRecord(value) && Array.isArray(value['items']) && value['items'].every(isBatch) && 'next_cursor' in value

export const isEstimate: Shape = (value) =>
  hasNumbers(value, 'items', 'cached', 'to_grade') &&
  isRecord(value) &&
  hasNumbers(value['likely'], 'calls', 'input_tokens', 'output_tokens') &&
  Array.isArray(value['judges'])

export const isComparison: Shape = (value) =>
  hasNumbers(value, 'pairs', 'same', 'flipped') && isRecord(value) && Array.isArray(value['flips'])

export const isReport: Shape = (value) =>
  isRecord(value) && ['judges', 'groups', 'evidence', 'notes'].every((name) => Array.isArray(value[name]))

export const isResult: Shape = (value) =>
  isRecord(value) &&
  typeof value['item_id'] === 'string' &&
  isOneOf(ITEM_STATUSES, value['status']) &&
  (value['label'] === null || isPlain(value['label'])) &&
  (value['grade'] === null || isResultGrade(value['grade'])) &&
  isRecord(value['metadata'])

const isResultGrade: Shape = (value) =>
  isRecord(value) &&
  isRecord(value['confidence']) &&
  ['unmet', 'contradictions'].every((name) => Array.isArray(value[name])) &&
  (value['unread'] === null || isUnread(value['unread']))

const isUnread: Shape = (value) => hasNumbers(value, 'records', 'actions')

export const isGrade: Shape = (value) =>
  isRecord(value) &&
  isPlain(value['id']) &&
  isOneOf(GRADE_STATUSES, value['status']) &&
  isRecord(value['confidence']) &&
  ['citations', 'unmet', 'contradictions'].every((name) => Array.isArray(value[name])) &&
  isRecord(value['receipt']) &&
  Array.isArray(value['receipt']['attempts']) &&
  (value['receipt']['unread'] === undefined || isUnread(value['receipt']['unread'])) &&
  isRecord(value['metadata'])

export const isOverview: Shape = (value) =>
  isRecord(value) && isRecord(value['names']) && NAMED_BY.every((name) => isTexts(value['names'], name))

const isTexts = (value: unknown, name: string): boolean =>
  isRecord(value) && Array.isArray(value[name]) && value[name].every((one) => typeof one === 'string')

export const isCalls: Shape = (value) => isListOf(value, 'id', 'outcome')
export const isBatchCall: Shape = (value) =>
  isRecord(value) &&
  ['id', 'outcome', 'judge'].every((name) => typeof value[name] === 'string') &&
  (value['grade_id'] === null || isPlain(value['grade_id']))
export const isJudges: Shape = (value) => isListOf(value, 'name', 'description')
export const isRubric: Shape = (value) =>
  isRecord(value) &&
  ['name', 'title', 'digest', 'system', 'question'].every((name) => typeof value[name] === 'string') &&
  isRecord(value['answer_schema'])
/** Ids of claims become columns. */
export const isAskedRubrics: Shape = (value) =>
  isListOf(value, 'name') &&
  (value as { items: Readonly<Record<string, unknown>>[] }).items.every(
    ({ claims }) => Array.isArray(claims) && claims.every((claim) => isRecord(claim) && isPlain(claim['id'])),
  )
export const isRubrics: Shape = (value) => isListOf(value, 'name', 'title')

const isListOf = (value: unknown, ...texts: readonly string[]): boolean =>
  isRecord(value) &&
  Array.isArray(value['items']) &&
  value['items'].every((item) => isRecord(item) && texts.every((name) => typeof item[name] === 'string'))

export const isUploaded: Shape = (value) => isRecord(value) && isPlain(value['id'])

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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Ids and times: they are printed as they are. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 200 && /^[\x21-\x7e]+$/.test(value)

const hasNumbers = (value: unknown, ...names: readonly string[]): boolean =>
  isRecord(value) && names.every((name) => typeof value[name] === 'number')

const isTally = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([word, n]) => isPlain(word) && typeof n === 'number')

const isOneOf = (words: readonly string[], value: unknown): boolean => words.some((word) => word === value)
