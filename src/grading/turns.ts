import type { Trajectory } from '../domain/trajectory.ts'

/** Characters, or bytes of a body, from which a step of the work is long enough to hold others up. */
export const LARGE = 2 * 1024 * 1024

let last: Promise<void> = Promise.resolve()

/**
 * Resolves after everybody else’s I/O had its turn, and for one caller per turn of the event loop. What is long and cannot be cut, such
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

function isLarge({ steps }: Trajectory): boolean {
  let chars = 0
  for (const { parts } of steps)
    for (const { text } of parts) {
      chars += text.length
      if (chars > LARGE) return true
    }
  return false
}
