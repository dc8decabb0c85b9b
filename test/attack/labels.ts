import { type Static, Type } from 'typebox'
import { inputIssues } from '../../src/schemas/check.ts'
import { Choice, Nullable } from '../../src/schemas/type.ts'
import { CONFIDENCE_LEVELS, ITEM_STATUSES, LABELS } from '../../src/schemas/vocabulary.ts'
import { UsageError } from '../../tools/command-line.ts'
import type { AttackCase } from './attack-case.ts'
import { CASE_FIELD } from './exchange.ts'
import type { CaseResult } from './suite.ts'

/** Labels of another judge. */
export interface Labels {
  readonly results: readonly CaseResult[]
  /** Whether all labels came through the gate of this service: lines of `veridict results`. */
  readonly gated: boolean
}

type Score = Omit<CaseResult, 'case' | 'outcome'> & Pick<Labels, 'gated'> & { readonly name: string }

const orNull = <const T extends string>(values: readonly T[]) => Type.Unsafe<T | null>({ enum: [...values, null] })
const LABEL = orNull(LABELS)
const CONFIDENCE = orNull(CONFIDENCE_LEVELS)

/** Line of another judge. */
const LabelLine = Type.Object({
  ...{ name: Type.String(), label: LABEL, judge: Type.Optional(Type.String()), confidence: Type.Optional(CONFIDENCE) },
})

/** Item of a batch as `results` prints the item, as far as the score reads the item. */
const ResultLine = Type.Object({
  ...{ item_id: Type.String(), status: Choice([...ITEM_STATUSES]), label: LABEL },
  metadata: Type.Optional(Type.Object({ [CASE_FIELD]: Type.Optional(Type.String()) })),
  grade: Type.Optional(Nullable(Type.Object({ confidence: Type.Object({ reported: CONFIDENCE }) }))),
})

/**
 * Reads lines of `{"name", "label", "judge"?, "confidence"?}`, or those that `veridict results BATCH -o ndjson` prints; a cancelled item was never
 * asked and counts as no line. Throws `UsageError` with the number of a line that cannot be read, names no case, or names a case twice for one judge.
 */
export function readLabels(text: string, cases: readonly AttackCase[]): Labels {
  const known = new Map(cases.map((one) => [one.name, one]))
  const seen = new Set<string>()
  let isGated = true
  const results = text.split('\n').flatMap((line, index): CaseResult[] => {
    if (line.trim() === '') return []
    const at = `line ${index + 1}`
    const { name, gated, ...score } = readScore(line, at)
    const found = known.get(name)
    if (found === undefined) throw new UsageError(`${at}: no exported case is named ${shown(name)}`)
    const key = `${score.judge}\n${name}`
    if (seen.has(key)) throw new UsageError(`${at}: ${shown(name)} is scored twice`)
    seen.add(key)
    isGated &&= gated
    if (score.status === 'cancelled') return []
    const outcome = score.label === null ? 'blocked' : score.label === found.truth ? 'right' : 'wrong'
    return [{ case: found, outcome, ...score }]
  })
  return { results, gated: isGated && results.length > 0 }
}

const shown = (text: string): string => JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`)

function readScore(line: string, at: string): Score {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UsageError(`${at}: not JSON`)
  }
  const isResult = typeof value === 'object' && value !== null && Object.hasOwn(value, 'item_id')
  const [fault] = inputIssues(isResult ? ResultLine : LabelLine, value)
  if (fault !== undefined) throw new UsageError(`${at}: ${`${fault.path} ${fault.message}`.trim()}`)
  if (!isResult) {
    const { name, label, judge = 'judge', confidence = null } = value as Static<typeof LabelLine>
    return { name, judge, label, confidence, status: label === null ? 'none' : 'graded', gated: false }
  }
  const { item_id, status, label, grade, metadata = {} } = value as Static<typeof ResultLine>
  // An item has another name than its case where a batch joined several files.
  const name = (metadata[CASE_FIELD] as string | undefined) ?? item_id
  return { name, judge: 'batch', label, confidence: grade?.confidence.reported ?? null, status, gated: true }
}
