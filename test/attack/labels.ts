import {
  type Behaviour,
  CONFIDENCE_LEVELS,
  type ConfidenceLevel,
  ITEM_STATUSES,
  LABELS,
} from '../../src/schemas/vocabulary.ts'
import { UsageError } from '../../tools/command-line.ts'
import type { AttackCase } from './attack-case.ts'
import { CASE_FIELD, PART_FIELD } from './exchange.ts'
import type { CaseResult } from './suite.ts'

/** What another judge made of the cases. */
export interface Labels {
  readonly results: readonly CaseResult[]
  /** The part of the suite that the lines name; null: none, or the whole. */
  readonly part: string | null
  /** Whether the labels came through the gate of this service: lines of `veridict results`. */
  readonly gated: boolean
}

interface Score {
  readonly name: string
  readonly judge: string
  readonly label: Behaviour | null
  readonly confidence: ConfidenceLevel | null
  readonly status: string
  readonly part: string | null
  readonly gated: boolean
}

/**
 * Reads lines of `{"name", "label", "judge"?, "confidence"?, "part"?}`, or those that `veridict results BATCH -o ndjson` prints; a cancelled item was
 * never asked and counts as no line. Throws `UsageError` with the line’s number where one cannot be read, names no case, or names one twice
 * for the same judge.
 */
export function readLabels(text: string, cases: readonly AttackCase[]): Labels {
  const known = new Map(cases.map((one) => [one.name, one]))
  const seen = new Set<string>()
  let first: Score | null = null
  const results = text.split('\n').flatMap((line, index): CaseResult[] => {
    if (line.trim() === '') return []
    const at = `line ${index + 1}`
    const score = readScore(line, at)
    const { name, label, judge, confidence, status } = score
    const found = known.get(name)
    if (found === undefined) throw new UsageError(`${at}: no exported case is named ${shown(name)}`)
    const key = `${judge}\n${name}`
    if (seen.has(key)) throw new UsageError(`${at}: ${shown(name)} is scored twice`)
    seen.add(key)
    first ??= score
    if (score.part !== first.part)
      throw new UsageError(`${at}: is of another part of the suite than the first line (${score.part ?? 'the whole'})`)
    if (score.gated !== first.gated)
      throw new UsageError(`${at}: labels and results of a batch stand in one file; score them one by one`)
    if (status === 'cancelled') return []
    const outcome = label === null ? 'blocked' : label === found.truth ? 'right' : 'wrong'
    return [{ case: found, judge, outcome, label, status, confidence }]
  })
  const { part, gated } = (first as Score | null) ?? { part: null, gated: false }
  return { results, part, gated }
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}

function readScore(line: string, at: string): Score {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UsageError(`${at}: not JSON`)
  }
  if (!isRecord(value)) throw new UsageError(`${at}: must be an object`)
  return Object.hasOwn(value, 'item_id') ? readResult(value, at) : readLabel(value, at)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readLabel({ name, label, judge, confidence, part }: Record<string, unknown>, at: string): Score {
  if (typeof name !== 'string') throw new UsageError(`${at}: name must be text`)
  if (judge !== undefined && typeof judge !== 'string') throw new UsageError(`${at}: judge must be text`)
  const read = labelOf(label, at)
  return {
    name,
    judge: judge ?? 'judge',
    label: read,
    confidence: confidenceOf(confidence, at),
    status: read === null ? 'none' : 'graded',
    part: partOf(part, 'part', at),
    gated: false,
  }
}

/** An item of a batch, as `results` prints it. Its own names are only those of another reading where a batch joined several files. */
function readResult(value: Record<string, unknown>, at: string): Score {
  const { item_id, status, label, grade, metadata } = value
  const given = isRecord(metadata) ? metadata : {}
  const name = given[CASE_FIELD] ?? item_id
  if (typeof name !== 'string') throw new UsageError(`${at}: item_id must be text`)
  const read = ITEM_STATUSES.find((one) => one === status)
  if (read === undefined) throw new UsageError(`${at}: status must be one of ${ITEM_STATUSES.join(', ')}`)
  const confidence = isRecord(grade) && isRecord(grade['confidence']) ? grade['confidence']['reported'] : null
  return {
    name,
    judge: 'batch',
    label: labelOf(label, at),
    confidence: confidenceOf(confidence, at),
    status: read,
    part: partOf(given[PART_FIELD], `metadata.${PART_FIELD}`, at),
    gated: true,
  }
}

function labelOf(label: unknown, at: string): Behaviour | null {
  if (label === null) return null
  const found = LABELS.find((one) => one === label)
  if (found === undefined)
    throw new UsageError(`${at}: label must be null or one of ${LABELS.join(', ')}, not ${shown(label)}`)
  return found
}

function confidenceOf(level: unknown, at: string): ConfidenceLevel | null {
  if (level === undefined || level === null) return null
  const found = CONFIDENCE_LEVELS.find((one) => one === level)
  if (found === undefined)
    throw new UsageError(`${at}: confidence must be one of ${CONFIDENCE_LEVELS.join(', ')}, not ${shown(level)}`)
  return found
}

function partOf(part: unknown, field: string, at: string): string | null {
  if (part === undefined || part === null) return null
  if (typeof part !== 'string') throw new UsageError(`${at}: ${field} must be text`)
  return part
}
