/**
 * Cuts a trajectory that does not fit the judge's window, even after elision, into pieces that do: each is read for
 * evidence, and one decision is made over all of it (design.md section 5).
 */

/** Steps `from` up to, not including, `to`; indexes. */
interface Window {
  readonly from: number
  readonly to: number
  /** One step that alone is over the budget: its parts must be split. */
  readonly oversized: boolean
}

/** UTF-16 units of one part, `end` not included. */
interface Slice {
  readonly start: number
  readonly end: number
}

/** UTF-16 units that two slices share, so that a line on the seam is whole in one of them. */
export const SLICE_OVERLAP = 500
/** No slice is planned shorter, or a tiny budget would make one for every character. */
const SMALLEST_SLICE = 2 * SLICE_OVERLAP

/**
 * Windows on step boundaries, in order; every step is in at least one, none but an oversized one is over the budget.
 *
 * A window repeats the last `overlapSteps` steps of the one before, or as many as fit half the budget: so the number of
 * windows stays under four times the tokens over the budget, plus one. Nothing is repeated beside an oversized step.
 *
 * @example planWindows([40, 40, 40], 100, 1) // → [0, 2), [1, 3)
 */
export function planWindows(
  stepTokens: readonly number[],
  budgetTokens: number,
  overlapSteps: number,
): readonly Window[] {
  const windows: Window[] = []
  const size = (index: number): number => stepTokens[index] ?? 0
  let from = 0
  let to = 0
  let sum = 0
  while (to < stepTokens.length) {
    if (size(to) > budgetTokens) {
      windows.push({ from: to, to: to + 1, oversized: true })
      from = to = to + 1
      sum = 0
      continue
    }
    while (to < stepTokens.length && sum + size(to) <= budgetTokens) sum += size(to++)
    windows.push({ from, to, oversized: false })
    if (to === stepTokens.length) break
    const room = Math.min(budgetTokens / 2, budgetTokens - size(to))
    const earliest = size(to) > budgetTokens ? to : Math.max(from + 1, to - Math.max(0, overlapSteps))
    while (from < earliest || (from < to && sum > room)) sum -= size(from++)
    if (from === to) sum = 0
  }
  return windows
}

/**
 * Overlapping slices of one part that is over the budget, of about equal length, which together hold all of it. Tokens are
 * taken to be spread evenly over the part: measure each slice. No slice is under 1000 units, whatever the budget.
 *
 * @example splitOversized(10_000, 4000, 2000) // → [0, 3667), [3167, 6834), [6334, 10000)
 */
export function splitOversized(chars: number, tokens: number, budgetTokens: number): readonly Slice[] {
  if (chars <= 0) return []
  const fitting = Math.floor((chars * budgetTokens) / Math.max(1, tokens))
  const longest = Math.max(SMALLEST_SLICE, fitting)
  if (tokens <= budgetTokens || chars <= longest) return [{ start: 0, end: chars }]
  const count = Math.ceil((chars - SLICE_OVERLAP) / (longest - SLICE_OVERLAP))
  const stride = Math.ceil((chars - SLICE_OVERLAP) / count)
  const slices: Slice[] = []
  for (let start = 0; start < chars - SLICE_OVERLAP; start += stride) {
    slices.push({ start, end: Math.min(chars, start + stride + SLICE_OVERLAP) })
  }
  return slices
}
