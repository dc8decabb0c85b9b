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

/**
 * Plans the least loss that fits: one cap for the head and the tail of every output, as large as the budget allows, so the
 * longest outputs give way first and short ones stay whole.
 *
 * @example planElision(steps, 100_000) // → { fits: true, cuts: [{ step: 7, part: 1, kept: 4000 }], … }
 */
export function planElision(steps: readonly ElidableStep[], budgetTokens: number): ElisionPlan {
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
