import type { Step } from '../../domain/trajectory/trajectory.ts'
import { cutName, isAbsent, isRecord, type Reading, timeOf } from '../common/reading.ts'

/** Bounds a step id: a larger number is a name, not a position, and ids counted on from this bound stay exact. */
const MAX_STEP_ID = 1_000_000_000

export const isUsableStepId = (own: unknown): own is number =>
  typeof own === 'number' && Number.isInteger(own) && own >= 1 && own <= MAX_STEP_ID

const nameOf = (own: unknown): string | null =>
  typeof own === 'string' && own !== ''
    ? cutName(own)
    : typeof own === 'number' || typeof own === 'boolean'
      ? String(own)
      : null

/**
 * Numbers the steps of a run: integer ids are kept, and every other step gets its position. Where that gives two steps one id, all steps
 * get their positions and keep their names. Two steps with the same integer are an error, because a citation of it would be ambiguous.
 */
export function numberSteps(reading: Reading, own: readonly unknown[], path: string): Pick<Step, 'id' | 'name'>[] {
  const first = new Map<number, number>()
  for (let index = 0; index < own.length; index++) {
    const value = own[index]
    if (!isUsableStepId(value)) continue
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, index)
    else reading.error(`${path}/${index}/step_id`, `${value} is the id of ${path}/${earlier} as well`)
  }
  const collides = own.some((value, index) => !isUsableStepId(value) && first.has(index + 1))
  if (collides) reading.warn(path, 'some steps have no usable step_id; all are numbered by position')
  return own.map((value, index) => {
    const position = index + 1
    if (!collides && isUsableStepId(value)) return { id: value, name: null }
    return { id: position, name: value === position ? null : nameOf(value) }
  })
}

/** Warns where step ids depart from 1, 2, 3, …, which ATIF requires. */
export function warnAboutOrder(reading: Reading, own: readonly unknown[], path: string): void {
  let expected = 1
  for (let index = 0; index < own.length; index++) {
    const value = own[index]
    const at = () => `${path}/${index}/step_id`
    if (isUsableStepId(value)) {
      if (value !== expected)
        reading.warn(
          at(),
          `step_id is ${value} where ${expected} was due${value < expected ? '; the order of the file is kept' : ''}`,
        )
      expected = value + 1
    } else {
      reading.warn(
        at(),
        isAbsent(value) ? 'no step_id; the step is numbered' : 'not a usable step_id; the step is numbered',
      )
      expected++
    }
  }
}

/** Warns of steps whose time is before that of the preceding step. The order of the file is kept, because citations count by it. */
export function warnAboutTimes(reading: Reading, steps: readonly unknown[], path: string): void {
  let latest = Number.NEGATIVE_INFINITY
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]
    const at = isRecord(step) && step['is_copied_context'] !== true ? timeOf(step['timestamp']) : null
    if (at === null) continue
    if (at < latest)
      reading.warn(`${path}/${index}/timestamp`, 'earlier than the step before it; the order of the file is kept')
    else latest = at
  }
}
