/** What `work` makes of each, in their order, with `atOnce` of them under way. */
export async function* inOrder<T, R>(
  values: AsyncIterable<T>,
  atOnce: number,
  work: (value: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  for await (const value of values) {
    const made = work(value)
    // Awaited in order below; until then a refusal is no unhandled rejection.
    made.catch(() => {})
    waiting.push(made)
    const first = waiting.length >= atOnce ? waiting.shift() : undefined
    if (first !== undefined) yield await first
  }
  for (const made of waiting) yield await made
}
