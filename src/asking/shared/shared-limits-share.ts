/** How long an odd place stays with one process: longer where all have others beside it, since each change leaves it empty for a while. */
const TURN_MS = { only: 3_000, odd: 60_000 } as const

/**
 * How many of `limit` calls are one process’s fair share: nobody gets more than it wants, and whoever gets less than that gets as much as
 * anybody (max-min fairness). What cannot be divided goes around, so that with fewer places than processes all get their turn.
 *
 * @param wants of all processes, this one among them
 * @param now in milliseconds, by a clock that all of them agree on
 */
export function fairShare(limit: number, wants: ReadonlyMap<string, number>, process: string, now: number): number {
  const asked = wants.get(process) ?? 0
  if (asked <= 0) return 0
  const waiting = [...wants].filter(([, want]) => want > 0).sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
  let left = limit
  let modest = 0
  for (const [name, want] of waiting) {
    if (want > Math.floor(left / (waiting.length - modest))) break
    if (name === process) return want
    left -= want
    modest += 1
  }
  const rest = waiting.slice(modest).map(([name]) => name)
  const level = Math.floor(left / rest.length)
  const odd = left - level * rest.length
  const turn = Math.floor(now / (level === 0 ? TURN_MS.only : TURN_MS.odd))
  return level + (hasTurn(rest, process, odd, turn) ? 1 : 0)
}

/** Of `places` for `names`, going around by as many at each turn. */
function hasTurn(names: readonly string[], name: string, places: number, turn: number): boolean {
  const first = (turn * places) % names.length
  const position = [...names].sort().indexOf(name)
  return (position - first + names.length) % names.length < places
}
