import { measureOf } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'

/** Characters, or bytes of a body, from which a step of the work is long enough to hold others up. */
export const LARGE = 2 * 1024 * 1024

let last: Promise<void> = Promise.resolve()

/**
 * Resolves after all other I/O had its turn, and for one caller per turn of the event loop. What is long and cannot be cut, such
 * as parsing 30 MB, waits for it before each of its steps: several large bodies then hold up the small ones for one step, not for all.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  return last
}

/** Before a step over the whole text of a trajectory: at once where it is small. */
export async function turnFor(trajectory: Trajectory): Promise<void> {
  if (isLarge(trajectory)) await nextTurn()
}

/** Reading an action, as a shell does, costs many times what other text costs; and every part costs something. */
const WEIGHT_OF_ACTION = 8
const WEIGHT_OF_PART = 32
/** However short an action is, it is held against every string of the ground truth: half a millisecond for a hundred of them. */
const LEAST_OF_ACTION = 1000

const weighed = new WeakMap<Trajectory, boolean>()

/** Whether the work on a run holds others up: then it is done on another thread. */
export function isLarge(trajectory: Trajectory): boolean {
  const known = measureOf(trajectory)?.large ?? weighed.get(trajectory) ?? weighsMoreThan(trajectory, LARGE)
  weighed.set(trajectory, known)
  return known
}

function weighsMoreThan({ steps }: Trajectory, most: number): boolean {
  let weight = 0
  for (const { parts } of steps)
    for (const { text, actor } of parts) {
      const isAction = actor === 'agent_action'
      weight += text.length * (isAction ? WEIGHT_OF_ACTION : 1) + (isAction ? LEAST_OF_ACTION : WEIGHT_OF_PART)
      if (weight > most) return true
    }
  return false
}
