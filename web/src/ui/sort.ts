/** A value to sort by; null stands last in both directions. */
export type SortValue = string | number | null

export interface Sorting {
  readonly by: string
  readonly down: boolean
}

/** Reads a sorting: `task` → upwards, `-task` → downwards. */
export function readSorting(text: string | null): Sorting | null {
  if (text === null || text === '' || text === '-') return null
  return text.startsWith('-') ? { by: text.slice(1), down: true } : { by: text, down: false }
}

/** Makes the next sorting by a column: up, then down, then none. */
export function nextSorting(now: Sorting | null, by: string): string | null {
  if (now?.by !== by) return by
  return now.down ? null : `-${by}`
}

const WORDS = new Intl.Collator('en', { numeric: true })

/** Sorts rows by a value; rows with equal values keep their order. */
export function sortRows<T>(rows: readonly T[], of: (row: T) => SortValue, down: boolean): readonly T[] {
  const compare = (a: T, b: T): number => {
    const [first, second] = [of(a), of(b)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    const order =
      typeof first === 'number' && typeof second === 'number' ? first - second : WORDS.compare(`${first}`, `${second}`)
    return down ? -order : order
  }
  return rows.toSorted(compare)
}
