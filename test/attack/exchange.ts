import { type Static, Type } from 'typebox'
import { inputIssues } from '../../src/schemas/check.ts'
import { Nullable } from '../../src/schemas/type.ts'
import { CONFIDENCE_LEVELS, LABELS } from '../../src/schemas/vocabulary.ts'
import { UsageError, wholeNumber } from '../../tools/command-line.ts'
import { ATTACK_CLASSES, type AttackCase, type AttackClass } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import type { CaseResult } from './suite.ts'

/** Part of the suite that another judge is given: some classes, or all (null), and one case in `every`. */
export interface Part {
  readonly classes: readonly AttackClass[] | null
  readonly every: number
}

/** Reads the names of a list, comma-separated, and refuses an unknown name; null where the option was not given. */
export function chosen<T extends string>(
  given: string | undefined,
  known: readonly T[],
  what: string,
): readonly T[] | null {
  if (given === undefined) return null
  return given.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw new UsageError(`no ${what} is named ${name}; there are: ${known.join(', ')}`)
    return found
  })
}

interface PartValues {
  readonly classes?: string | undefined
  readonly every?: string | undefined
}

export const readPart = ({ classes, every }: PartValues): Part => ({
  classes: chosen(classes, ATTACK_CLASSES, 'class'),
  every: every === undefined ? 1 : wholeNumber('--every', every, 1),
})

/**
 * Lists the cases of a part in the order of the catalogue, without those whose instructions stand in a picture, which the suite does not hold. The
 * cases without an attack always come along: without them, an answer to the others says nothing.
 */
export function exportedCases({ classes, every }: Part): AttackCase[] {
  const all = allCases().filter(({ surface }) => surface !== 'media')
  const sliced = new Set(sliceOf(all, every))
  const isOf = (one: AttackCase) => sliced.has(one) && (classes === null || classes.includes(one.attack))
  return all.filter((one) => one.attack === 'control' || isOf(one))
}

/** Writes a case as a line that `veridict batch` and `POST /v1/batches` take. The name says the truth, and no judge is shown the name. */
export const requestLine = (one: AttackCase): string =>
  JSON.stringify({ item_id: one.name, trajectory: one.trajectory(), ground_truth: one.ground_truth })

const orNull = <const T extends string>(values: readonly T[]) => Type.Unsafe<T | null>({ enum: [...values, null] })

/** Line of `veridict results BATCH -o ndjson`, or of another judge, as far as the score reads the line. */
const ResultLine = Type.Object({
  ...{ item_id: Type.String(), label: orNull(LABELS) },
  grade: Type.Optional(Nullable(Type.Object({ confidence: Type.Object({ reported: orNull(CONFIDENCE_LEVELS) }) }))),
})

/**
 * Reads the labels of the cases. Throws `UsageError` with the number of a line that cannot be read or names no case, and where a case has no line, or
 * two: a case that was left out would count for the judge.
 */
export function readResults(text: string, cases: readonly AttackCase[]): CaseResult[] {
  const open = new Map(cases.map((one) => [one.name, one]))
  const results = text.split('\n').flatMap((line, index): CaseResult[] => {
    if (line.trim() === '') return []
    const { item_id: name, label, grade } = readLine(line, `line ${index + 1}`)
    const found = open.get(name)
    if (found === undefined) throw new UsageError(`line ${index + 1}: no case is named "${name}", or a line before it`)
    open.delete(name)
    const outcome = label === null ? 'blocked' : label === found.truth ? 'right' : 'wrong'
    const confidence = grade?.confidence.reported ?? null
    return [{ case: found, judge: 'scored', outcome, label, status: 'graded', confidence }]
  })
  const [left] = open.keys()
  if (left !== undefined)
    throw new UsageError(
      `${open.size} cases have no line, ${left} for one: were --classes and --every those of the export?`,
    )
  return results
}

function readLine(line: string, at: string): Static<typeof ResultLine> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new UsageError(`${at}: not JSON`)
  }
  const [fault] = inputIssues(ResultLine, value)
  if (fault !== undefined) throw new UsageError(`${at}: ${`${fault.path} ${fault.message}`.trim()}`)
  return value as Static<typeof ResultLine>
}
