import { type Claims, claimedValue, counts } from '../rubric/claims.ts'
import { type ClaimRule, type ClaimValue, proofOf } from '../rubric/rubric.ts'
import { type Order, orderOfSteps } from '../trajectory/order.ts'
import type { Position } from '../trajectory/trajectory.ts'
import { type Checked, type EvidenceQuestion, isProof } from './observations.ts'

/** The steps that two claims cite, as far as a proof needs their order. */
export interface ClaimedOrder {
  /** `after`: a step of the first claim comes before all steps of the second; null: a claim has no step. */
  readonly order: Order | null
  readonly names: readonly string[]
  /** The claim without a proved citation; null: both have some. */
  readonly bare: string | null
  readonly step_id: number | null
}

/** Orders the cited steps of the two claims that a proof names; null: the proof names none. */
export function claimedOrder(
  names: readonly string[],
  { claims, question, checked }: { claims: Claims; question: EvidenceQuestion; checked: readonly Checked[] },
): ClaimedOrder | null {
  if (names.length === 0) return null
  const { rubric, rendering } = question
  const placesOf = (name: string): Position[] => {
    const claim = rubric.claims.find(({ id }) => id === name)
    const isClaimed = claim !== undefined && counts(claims, claim) && needsQuote(claim, claimedValue(claims, claim))
    const proofs = checked.filter(({ citation, proved }) => citation.supports === name && isProof(proved))
    return isClaimed ? proofs.flatMap(({ position }) => position ?? []) : []
  }
  const [first = [], second = []] = names.map(placesOf)
  const bare = names.find((name) => placesOf(name).length === 0) ?? null
  const step_id = rendering.trajectory.steps[second[0]?.step ?? -1]?.id ?? null
  if (bare !== null) return { order: null, names, bare, step_id }
  const levels: readonly Order[] = ['before', 'unknown', 'after']
  const orders = first.map((earlier) =>
    Math.min(...second.map((later) => levels.indexOf(orderOfSteps(rendering.trajectory, later, earlier)))),
  )
  return { order: levels[Math.max(...orders)] ?? null, names, bare, step_id }
}

export const needsQuote = (claim: ClaimRule, value: ClaimValue): boolean =>
  (proofOf(claim, value)?.quote.length ?? 0) > 0
