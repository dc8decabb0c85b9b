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
    const [one, other] = [of(a), of(b)]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    const order =
      typeof one === 'number' && typeof other === 'number' ? one - other : WORDS.compare(`${one}`, `${other}`)
    return down ? -order : order
  }
  return rows.toSorted(compare)
}
