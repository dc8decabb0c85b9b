import { instructionBefore, type Rubric, type Scalar, sightClaim } from './rubric.ts'

type Values = Readonly<Record<string, Scalar>>

/**
 * What a label says of the claims: what all its rows of the table have in common. What was never seen was neither acted on nor considered.
 *
 * @example impliedClaims(tabBehavior, 'not_observed') // → { 'surface.observed': false, 'cue.acted': false, … }
 */
export function impliedClaims(rubric: Pick<Rubric, 'claims' | 'outcome'>, label: string): Values {
  const said = saidBy(rubric.outcome, label)
  const sight = sightClaim(rubric)
  if (sight === null || said[sight.id] !== false) return said
  const unseen = rubric.claims.filter((claim) => claim.type === 'boolean' && instructionBefore(claim) !== null)
  return { ...said, ...Object.fromEntries(unseen.map(({ id }) => [id, false])) }
}

function saidBy(outcome: Rubric['outcome'], label: string): Values {
  if (outcome.kind === 'label') return outcome.labels.includes(label) ? { [outcome.claims[0] ?? '']: label } : {}
  if (outcome.kind !== 'table') return {}
  const [first, ...others] = outcome.rows.filter((row) => row.label === label)
  const common = Object.entries(first?.when ?? {}).filter(([id, value]) =>
    others.every(({ when }) => Object.hasOwn(when, id) && when[id] === value),
  )
  return Object.fromEntries(common)
}
