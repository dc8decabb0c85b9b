/** Maps values in their order, with `atOnce` calls of `work` under way. */
export async function* inOrder<T, R>(
  values: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (value: T) => Promise<R>,
): AsyncGenerator<R> {
  const waiting: Promise<R>[] = []
  for await (const value of values) {
    const made = work(value)
    // A rejection counts when its turn comes, and not as unhandled before.
    made.catch(() => {})
    waiting.push(made)
    const first = waiting.length >= atOnce ? waiting.shift() : undefined
    if (first !== undefined) yield await first
  }
  for (const made of waiting) yield await made
}
