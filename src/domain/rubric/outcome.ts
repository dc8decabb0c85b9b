import type { Verdict } from '../evidence/evidence.ts'
import type { Claims } from './claims.ts'
import type { ClaimValue, Rubric } from './rubric.ts'

/** What follows from claims: a label, or a sum. */
export type Outcome = string | number

/** The outcome of a checked verdict. Code derives it by the rubric's rule, which is total; no judge writes one. */
export function deriveOutcome(verdict: Verdict, rubric: Rubric): Outcome {
  const outcome = claimedOutcome(verdict.claims, rubric)
  if (outcome === null) throw new Error('a verdict with an unclear claim: the evidence check lets none through')
  return outcome
}

/**
 * What the outcome would be if the claims held: shown beside an unverified grade, counted by nobody. Null where a claim that decides it is
 * unclear: nothing is claimed then, least of all that nothing was seen.
 */
export function claimedOutcome({ values }: Claims, { outcome, name }: Rubric): Outcome | null {
  const said = outcome.claims.map((id) => values[id] ?? null)
  if (said.includes(null)) return null
  if (outcome.kind === 'label') return said[0] as string
  if (outcome.kind === 'sum') return said.reduce<number>((sum, one) => sum + (one as number), 0)
  const row = outcome.rows.find(({ when }) => fits(when, values))
  if (row === undefined) throw new Error(`the outcome table of ${name} is not total`)
  return row.label
}

export const fits = (
  when: Readonly<Record<string, ClaimValue>>,
  values: Readonly<Record<string, ClaimValue>>,
): boolean => Object.entries(when).every(([id, value]) => values[id] === value)

/** An outcome as the text that it is stored and counted by. */
export const labelOf = (outcome: Outcome | null): string | null => (outcome === null ? null : String(outcome))
