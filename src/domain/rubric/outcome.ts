import type { Label } from '../../schemas/vocabulary.ts'
import type { Claims } from './claims.ts'
import {
  type ClaimValue,
  type Entry,
  instructionBefore,
  type OutcomeRule,
  type Rubric,
  type Scalar,
  sightClaim,
} from './rubric.ts'

declare const checked: unique symbol

/** Claims whose evidence holds. Only `checkEvidence` makes a verdict. */
export interface Verdict {
  readonly [checked]: true
  readonly claims: Claims
}

export type Outcome = string | number

/** Derives the outcome of a checked verdict. Code derives it by the rubric's rule, which is total; no judge writes one. */
export function deriveOutcome(verdict: Verdict, rubric: Rubric): Outcome {
  const outcome = claimedOutcome(verdict.claims, rubric)
  if (outcome === null) throw new Error('a verdict with an unclear claim: the evidence check lets none through')
  return outcome
}

/**
 * Returns the outcome that the claims would have if they held: shown beside an unverified grade, never counted. Null where a claim that decides it is
 * unclear: nothing is claimed then, least of all that nothing was seen.
 */
export function claimedOutcome({ values }: Pick<Claims, 'values'>, { outcome, name }: Rubric): Outcome | null {
  const said = outcome.claims.map((id) => values[id] ?? null)
  if (said.includes(null)) return null
  if (outcome.kind === 'label') return said[0] as string
  if (outcome.kind === 'sum') return sumOf(said as readonly Scalar[])
  if (outcome.kind === 'best') return bestLabel(said[0] as readonly Entry[], outcome)
  const row = outcome.rows.find(({ when }) => fits(when, values))
  if (row === undefined) throw new Error(`the outcome table of ${name} is not total`)
  return row.label
}

const sumOf = (parts: readonly Scalar[]): number => parts.reduce<number>((sum, one) => sum + (one as number), 0)

/** Returns the label of the entry with the greatest sum, of equal sums the first; null where a part of any entry is not known. */
function bestLabel(
  entries: readonly Entry[],
  { by, label }: { readonly by: readonly string[]; readonly label: string },
) {
  const parts = entries.map((entry) => by.map((name) => entry[name] ?? null))
  if (parts.some((part) => part.includes(null))) return null
  const sums = parts.map(sumOf)
  const best = entries[sums.indexOf(Math.max(...sums))]
  const said = best === undefined ? NONE : (best[label] ?? null)
  return said === null ? null : String(said)
}

/** The label of an empty list. */
export const NONE = 'none'

export const fits = (when: Readonly<Record<string, Scalar>>, values: Readonly<Record<string, ClaimValue>>): boolean =>
  Object.entries(when).every(([id, value]) => values[id] === value)

/** Renders an outcome as the text by which outcomes are stored and counted. */
export const labelOf = (outcome: Outcome | null): string | null => (outcome === null ? null : String(outcome))

/**
 * Finds the outcome that more than half of the votes asked for have. A failed or unverified vote does not shrink the majority, and a
 * tie has no winner. `winner` is the index of the first vote with the winning outcome, `most` the votes for the most common outcome, and `share` their
 * share of the valid votes; null where no vote is valid.
 */
export function tallyVotes(outcomes: readonly (Outcome | null)[]) {
  const counts = new Map<Outcome, number>()
  for (const outcome of outcomes) if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const valid = outcomes.filter((outcome) => outcome !== null).length
  const [best, count] = [...counts].reduce<[Outcome | null, number]>(
    (top, entry) => (entry[1] > top[1] ? entry : top),
    [null, 0],
  )
  const share = valid === 0 ? null : count / valid
  return { winner: best !== null && count * 2 > outcomes.length ? outcomes.indexOf(best) : null, share, most: count }
}

/** Members of a rubric that give its outcomes a meaning. */
type Ruled = Pick<Rubric, 'claims' | 'outcome'>

/** No outcome says anything of a list. */
type OutcomeClaims = Readonly<Record<string, Scalar>>

/**
 * Returns the claims that an outcome implies: those that all rows of the table with the label have in common. An instruction that was not seen
 * was neither considered nor carried out.
 *
 * @example claimsOfOutcome(tabBehavior, 'not_observed') // → { 'surface.observed': false, 'cue.acted': false, … }
 */
export function claimsOfOutcome(rubric: Ruled, label: Label): OutcomeClaims {
  const claims = inCommon(rubric.outcome, label)
  const sight = sightClaim(rubric)
  if (sight === null || claims[sight.id] !== false) return claims
  const later = rubric.claims.filter((claim) => claim.type === 'boolean' && instructionBefore(claim) !== null)
  return { ...Object.fromEntries(later.map(({ id }) => [id, false])), ...claims }
}

function inCommon(outcome: OutcomeRule, label: Label): OutcomeClaims {
  const [decisive = '', ...more] = outcome.claims
  if (outcome.kind === 'label') return { [decisive]: label }
  if (outcome.kind === 'sum') return more.length === 0 ? { [decisive]: Number(label) } : {}
  if (outcome.kind === 'best') return {}
  const [first, ...rest] = outcome.rows.filter((row) => row.label === label).map(({ when }) => when)
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([id, value]) => rest.every((when) => when[id] === value)),
  )
}

/** Measures how far two outcomes are apart: sums and ordered labels by places, others by the claims that the labels decide, at least one. */
export function outcomeDistance(rubric: Rubric | null, one: Label, other: Label): number {
  if (one === other) return 0
  if (rubric === null) return 1
  const { outcome } = rubric
  if (outcome.kind === 'sum') return Math.abs(Number(one) - Number(other))
  if (outcome.scale === 'ordinal') return Math.abs(outcome.labels.indexOf(one) - outcome.labels.indexOf(other))
  const otherwise = claimsOfOutcome(rubric, other)
  const apart = Object.entries(claimsOfOutcome(rubric, one)).filter(([id, value]) => differ(value, otherwise[id]))
  return Math.max(1, apart.length)
}

/** Tests whether both values are there and differ: no answer differs from unclear, or from silence. */
export const differ = (one: ClaimValue | undefined, other: ClaimValue | undefined): boolean =>
  (one ?? null) !== null &&
  (other ?? null) !== null &&
  one !== other &&
  !(typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))

/** Lists the claims without which there is no grade: judges that differ in such a claim disagree, whatever their labels. */
export const decisiveClaims = ({ claims }: Rubric): readonly string[] =>
  claims.filter(({ type, unclear }) => type !== 'list' && unclear === 'refuses').map(({ id }) => id)
