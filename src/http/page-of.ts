/** The first `limit` records of a list that is read as it is needed; `last` is the last of them where there are more, else null. */
export async function takePage<T>(
  found: AsyncIterable<T>,
  limit: number,
): Promise<{ readonly items: T[]; readonly last: T | null }> {
  const items: T[] = []
  for await (const one of found) {
    if (items.length === limit) return { items, last: items.at(-1) ?? null }
    items.push(one)
  }
  return { items, last: null }
}

/** The first `limit`; absent: all. */
export async function* takeAsync<T>(found: AsyncIterable<T>, limit: number | undefined): AsyncGenerator<T> {
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const one of found) {
    yield one
    if (--left <= 0) return
  }
}

export async function* mapAsync<T, U>(found: AsyncIterable<T>, change: (one: T) => U): AsyncGenerator<U> {
  for await (const one of found) yield change(one)
}
