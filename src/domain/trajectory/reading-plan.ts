import type { Actor } from '../../schemas/vocabulary.ts'
import type { Range } from '../text/normal-text.ts'

// Cuts of a run above the judge’s window (design.md, 3 and 5): only tool output, since acts and words are what is graded.

export interface ElidablePart {
  readonly actor: Actor
  /** UTF-16 units of the source. */
  readonly chars: number
  readonly tokens: number
  /** Holds an anchor, or is needed whole for another reason. */
  readonly protected: boolean
}

export interface ElidableStep {
  readonly parts: readonly ElidablePart[]
  readonly protected: boolean
}

export type ElisionPlan = ReturnType<typeof planElision>

/** Steps at either end that are never cut. */
const ENDS = 2
/** The least that stays on either side, in UTF-16 units. */
const SMALLEST_CAP = 400
/** The cost of the marker that stands for a cut, in tokens: generous, as the marker holds a digest and two counts. */
const MARKER_TOKENS = 60

/**
 * Plans the least loss that fits: one cap for the head and the tail of every output, as large as the budget allows, so the
 * longest outputs give way first and short ones stay whole.
 *
 * @returns the cuts in order: the ends of a part that stay, in UTF-16 units on either side, by indexes of step and part; one marker replaces the rest. None
 *   where nothing needs to be cut, and where cutting is not enough: windows then show everything. The tokens are those after the cuts, markers included; a
 *   part's tokens are taken to be spread evenly over it. @NOTE: the plan has seen no text; the cutter moves the cuts off the middle of surrogate pairs.
 * @example planElision(steps, 100_000) // → { fits: true, cuts: [{ step: 7, part: 1, kept: 4000 }], … }
 */
export function planElision(steps: readonly ElidableStep[], budgetTokens: number) {
  const total = steps.reduce((sum, step) => step.parts.reduce((inner, part) => inner + part.tokens, sum), 0)
  if (total <= budgetTokens) return { fits: true, cuts: [], tokens: total }
  const candidates = steps.flatMap(({ parts, protected: whole }, step) =>
    whole || step < ENDS || step >= steps.length - ENDS
      ? []
      : parts
          .map((cost, part) => ({ cost, step, part }))
          .filter(({ cost }) => cost.actor === 'tool_output' && !cost.protected),
  )
  const tokensAt = (cap: number): number => candidates.reduce((left, { cost }) => left - savedTokens(cost, cap), total)
  if (tokensAt(SMALLEST_CAP) > budgetTokens) return { fits: false, cuts: [], tokens: total }
  // Bisection: what is saved never grows with the cap.
  let cap = SMALLEST_CAP
  let tooLarge = candidates.reduce((longest, { cost }) => Math.max(longest, Math.ceil(cost.chars / 2)), cap + 1)
  while (tooLarge - cap > 1) {
    const middle = Math.floor((cap + tooLarge) / 2)
    if (tokensAt(middle) <= budgetTokens) cap = middle
    else tooLarge = middle
  }
  const cuts = candidates.filter(({ cost }) => savedTokens(cost, cap) > 0)
  return { fits: true, cuts: cuts.map(({ step, part }) => ({ step, part, kept: cap })), tokens: tokensAt(cap) }
}

/** Counts the tokens that a cut to `cap` on either side saves; zero where the part is short or the marker costs more. */
function savedTokens({ chars, tokens }: ElidablePart, cap: number): number {
  if (chars <= 2 * cap) return 0
  return Math.max(0, tokens - Math.ceil((tokens * 2 * cap) / chars) - MARKER_TOKENS)
}

/** Cuts a trajectory that does not fit, even after elision, into windows: each is read for evidence, one decision is made (design.md section 5). */

/** Steps `from` up to, not including, `to`; indexes. */
interface Window {
  readonly from: number
  readonly to: number
  /** One step that alone is over the budget: its parts must be split. */
  readonly oversized: boolean
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
export function splitOversized(chars: number, tokens: number, budgetTokens: number): readonly Range[] {
  if (chars <= 0) return []
  const fitting = Math.floor((chars * budgetTokens) / Math.max(1, tokens))
  const longest = Math.max(SMALLEST_SLICE, fitting)
  if (tokens <= budgetTokens || chars <= longest) return [{ start: 0, end: chars }]
  const count = Math.ceil((chars - SLICE_OVERLAP) / (longest - SLICE_OVERLAP))
  const stride = Math.ceil((chars - SLICE_OVERLAP) / count)
  const slices: Range[] = []
  for (let start = 0; start < chars - SLICE_OVERLAP; start += stride) {
    slices.push({ start, end: Math.min(chars, start + stride + SLICE_OVERLAP) })
  }
  return slices
}
