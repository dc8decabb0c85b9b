let last: Promise<void> = Promise.resolve()

/**
 * Resolves after everybody else’s I/O had its turn, and for one caller per turn of the event loop. What is long and cannot be cut, such
 * as parsing 30 MB, waits for it before each of its steps: several large bodies then hold up the small ones for one step, not for all.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)))
  return last
}
