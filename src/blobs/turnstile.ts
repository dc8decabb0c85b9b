/** Lets so many in at once; the others wait in their order. */
export function createTurnstile(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let inside = 0
  return async (work) => {
    if (inside >= most) await new Promise<void>((enter) => waiting.push(enter))
    else inside += 1
    try {
      return await work()
    } finally {
      // The place goes to the next one without being free in between.
      const next = waiting.shift()
      if (next === undefined) inside -= 1
      else next()
    }
  }
}
