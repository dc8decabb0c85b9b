/** Looks for many strings in one pass. */
export interface Scan<T> {
  /** What belongs to the strings that the text holds, each at a place that is accepted. */
  find(text: string): Set<T>
}

const LONGEST_WINDOW = 16
const TABLE = 4096

/**
 * Wu and Manber, “A fast algorithm for multi-pattern searching” (1994), with blocks of two units: where the two units at the end of a window
 * stand in no string, the whole window is skipped. Strings are compared by the first units that the shortest of them has too, in a map, so that
 * many of them cost no more than one.
 */
export function createScan<T>(
  strings: readonly (readonly [string, T])[],
  accept: (value: T, text: string, at: number) => boolean,
): Scan<T> {
  const window = Math.min(LONGEST_WINDOW, ...strings.map(([string]) => string.length))
  const shift = new Uint8Array(TABLE).fill(Math.max(1, window - 1))
  const heads = new Map<string, (readonly [string, T])[]>()
  for (const one of strings) {
    const head = one[0].slice(0, window)
    heads.set(head, [...(heads.get(head) ?? []), one])
    for (let at = 1; at < window; at++) {
      const block = blockOf(head.charCodeAt(at - 1), head.charCodeAt(at))
      shift[block] = Math.min(shift[block] ?? 0, window - 1 - at)
    }
  }
  return {
    find(text) {
      const found = new Set<T>()
      if (strings.length === 0) return found
      for (let end = window - 1; end < text.length; ) {
        const skip = shift[blockOf(text.charCodeAt(end - 1), text.charCodeAt(end))] ?? 0
        if (skip > 0) {
          end += skip
          continue
        }
        const start = end + 1 - window
        for (const [string, value] of heads.get(text.slice(start, end + 1)) ?? [])
          if (!found.has(value) && text.startsWith(string, start) && accept(value, text, start)) found.add(value)
        end++
      }
      return found
    },
  }
}

const blockOf = (first: number, second: number): number => ((first << 5) ^ second) & (TABLE - 1)
