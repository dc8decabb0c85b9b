import type { Actor } from '../../schemas/vocabulary.ts'

/**
 * Plans the cuts of a trajectory that does not fit the judge's window (design.md section 3, rule 5, and
 * section 5). Only what tools printed is ever cut: what the agent did or said, and what it was told, is what is graded.
 */

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

/** The ends of a part that stay; one marker replaces the rest. `step` and `part` are indexes into what was given. */
interface Cut {
  readonly step: number
  readonly part: number
  /** UTF-16 units on either side. @NOTE: the plan has seen no text; the cutter moves them off the middle of surrogate pairs. */
  readonly kept: number
}

export interface ElisionPlan {
  readonly fits: boolean
  /** In order. Empty where nothing needs to be cut, and where cutting is not enough: windows then show everything. */
  readonly cuts: readonly Cut[]
  /** The cost of the steps after the cuts, markers included; a part's tokens are taken to be spread evenly over it. */
  readonly tokens: number
}

/** Steps at either end that are never cut. */
const ENDS = 2
/** The least that stays on either side, in UTF-16 units. */
const SMALLEST_CAP = 400
/** The cost of the marker that stands for a cut, in tokens: generous, as the marker holds a digest and two counts. */
const MARKER_TOKENS = 60

interface Candidate extends ElidablePart {
  readonly step: number
  readonly part: number
}

/**
 * Plans the least loss that fits: one cap for the head and the tail of every output, as large as the budget allows, so the
 * longest outputs give way first and short ones stay whole.
 *
 * @example planElision(steps, 100_000) // → { fits: true, cuts: [{ step: 7, part: 1, kept: 4000 }], … }
 */
export function planElision(steps: readonly ElidableStep[], budgetTokens: number): ElisionPlan {
  const total = steps.reduce((sum, step) => step.parts.reduce((inner, part) => inner + part.tokens, sum), 0)
  if (total <= budgetTokens) return { fits: true, cuts: [], tokens: total }
  const candidates = findCandidates(steps)
  const tokensAt = (cap: number): number => total - candidates.reduce((sum, part) => sum + savedTokens(part, cap), 0)
  if (tokensAt(SMALLEST_CAP) > budgetTokens) return { fits: false, cuts: [], tokens: total }
  const cap = findLargestCap(candidates, (at) => tokensAt(at) <= budgetTokens)
  const cuts = candidates
    .filter((part) => savedTokens(part, cap) > 0)
    .map(({ step, part }) => ({ step, part, kept: cap }))
  return { fits: true, cuts, tokens: tokensAt(cap) }
}

function findCandidates(steps: readonly ElidableStep[]): readonly Candidate[] {
  return steps.flatMap(({ parts, protected: whole }, step) => {
    if (whole || step < ENDS || step >= steps.length - ENDS) return []
    return parts
      .map((part, index) => ({ ...part, step, part: index }))
      .filter((part) => part.actor === 'tool_output' && !part.protected)
  })
}

/** Tokens that a cut to `cap` on either side saves; zero where the part is short or the marker costs more. */
function savedTokens(part: ElidablePart, cap: number): number {
  if (part.chars <= 2 * cap) return 0
  return Math.max(0, part.tokens - Math.ceil((part.tokens * 2 * cap) / part.chars) - MARKER_TOKENS)
}

/** Bisection: what is saved never grows with the cap. `SMALLEST_CAP` is known to fit. */
function findLargestCap(candidates: readonly Candidate[], fits: (cap: number) => boolean): number {
  let low = SMALLEST_CAP
  let high = candidates.reduce((longest, part) => Math.max(longest, Math.ceil(part.chars / 2)), low + 1)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}
