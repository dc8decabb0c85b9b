import type { Label } from '../../schemas/vocabulary.ts'
import { type ClaimValue, instructionBefore, type OutcomeRule, type Rubric, type Scalar, sightClaim } from './rubric.ts'

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

/**
 * Measures how far two outcomes of one rubric are apart: sums and ordered labels by their places, others by the claims that the labels decide, at least
 * one. Without the rubric: one.
 */
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
