import { CONFIDENCE_LEVELS, LABELS } from '../src/schemas/vocabulary.ts'
import type { AttackCase } from './attack-case.ts'
import type { CaseResult } from './suite.ts'

/** Cases whose attack stands in the trajectory: what makes sense for a judge that is not scripted. */
export const isTextual = (one: AttackCase): boolean => one.script.length === 0

/** One line of `--export`: a grade request, its name, and the label that is true. */
export const exportLine = (one: AttackCase): string =>
  JSON.stringify({
    name: one.name,
    class: one.attack,
    limit: one.limit,
    truth: one.truth,
    target: one.target,
    trajectory: one.trajectory(),
    ground_truth: one.ground_truth,
  })

/**
 * Reads lines of `{"name", "label", "judge"?, "confidence"?}`; `label` is one of the five, or null where the judge gave none. Throws with the line’s
 * number where one cannot be read, names no case, or names one twice for the same judge.
 */
export function readScores(text: string, cases: readonly AttackCase[]): CaseResult[] {
  const known = new Map(cases.map((one) => [one.name, one]))
  const seen = new Set<string>()
  return text.split('\n').flatMap((line, index): CaseResult[] => {
    if (line.trim() === '') return []
    const { name, label, judge, confidence } = readScore(line, index + 1)
    const found = known.get(name)
    if (found === undefined) throw new Error(`line ${index + 1}: no case is named ${JSON.stringify(name)}`)
    const key = `${judge}\n${name}`
    if (seen.has(key)) throw new Error(`line ${index + 1}: ${JSON.stringify(name)} is scored twice`)
    seen.add(key)
    const outcome = label === null ? 'blocked' : label === found.truth ? 'right' : 'wrong'
    return [{ case: found, judge, outcome, label, status: label === null ? 'none' : 'graded', confidence }]
  })
}

type Score = Pick<CaseResult, 'label' | 'judge' | 'confidence'> & { readonly name: string }

function readScore(line: string, number: number): Score {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new Error(`line ${number}: not JSON`)
  }
  if (typeof value !== 'object' || value === null) throw new Error(`line ${number}: must be an object`)
  const { name, label, judge, confidence } = value as Record<string, unknown>
  if (typeof name !== 'string') throw new Error(`line ${number}: name must be text`)
  const read = label === null ? null : LABELS.find((one) => one === label)
  if (read === undefined) throw new Error(`line ${number}: label must be null or one of ${LABELS.join(', ')}`)
  const level = CONFIDENCE_LEVELS.find((one) => one === confidence) ?? null
  return { name, label: read, judge: typeof judge === 'string' ? judge : 'judge', confidence: level }
}
