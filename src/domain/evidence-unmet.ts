import type { ClaimId } from '../schemas/vocabulary.ts'
import type { Claims } from './claims.ts'
import { firstDone } from './doing.ts'
import type { EvidenceQuestion, UnmetClaim } from './evidence.ts'
import { type Checked, holds } from './evidence-citation.ts'
import type { Observations } from './observations.ts'
import type { Position } from './trajectory.ts'

/** Rule 5: every claim that is true needs at least one citation that holds and can prove it. */
export function uncitedClaims(claims: Claims, checked: readonly Checked[]): UnmetClaim[] {
  const claimed: readonly (readonly [ClaimId, boolean])[] = [
    ['surface.observed', claims.surface.observed],
    ['cue.reasoned', claims.cue.reasoned],
    ['cue.acted', claims.cue.acted],
    ['distractor.reasoned', claims.distractor.reasoned],
    ['distractor.acted', claims.distractor.acted],
  ]
  return claimed.flatMap(([claim, value]): UnmetClaim[] => {
    const given = checked.filter((one) => one.citation.supports === claim)
    return value && !given.some((one) => one.proves) ? [whyUnmet(claim, given)] : []
  })
}

function whyUnmet(claim: ClaimId, given: readonly Checked[]): UnmetClaim {
  if (given.length === 0) return { claim, reason: 'claimed true, but no citation supports it', step_id: null }
  const real = given.find(({ citation }) => holds(citation.status))?.citation
  if (real === undefined) {
    const list = given.map(({ citation }) => `step ${citation.step_id} ${citation.status}`).join(', ')
    return { claim, reason: `claimed true, but none of its citations holds: ${list}`, step_id: null }
  }
  const reason =
    claim === 'surface.observed'
      ? 'claimed observed, but no cited part holds any string of the cue or the distractor'
      : `claimed acted on, but the cited action of step ${real.step_id} only looks at the given action anchor or tells of it`
  return { claim, reason, step_id: real.step_id }
}

/** Rule 5, the other half: an absence has no quote, so it is searched for. */
export function unprovenAbsence(claims: Claims, question: EvidenceQuestion, seen: Observations): UnmetClaim[] {
  if (claims.surface.observed) return []
  const unmet = (reason: string, step_id: number | null): UnmetClaim[] => [
    { claim: 'surface.observed', reason, step_id },
  ]
  const hit = seen.given_in_output
  if (hit !== null)
    return unmet(
      `claimed not observed, but tool output of step ${hit.step_id} holds a given anchor or the instruction’s text`,
      hit.step_id,
    )
  if (seen.in_prompt)
    return unmet('claimed not observed, but a given anchor or the instruction’s text stands in the prompt', null)
  if (seen.media !== null && question.ground_truth.signals?.appeared !== false)
    return unmet(
      'claimed not observed, but tool output holds pictures or sound that neither a search nor the judge can read',
      null,
    )
  return []
}

/**
 * Rule 5 for acts that are denied, where the configuration says so: only against action anchors that the harness gave, and never against what it measured.
 * `seen` is what the search found, `observations` what the citations added.
 */
export function unprovenDenials(
  claims: Claims,
  question: EvidenceQuestion,
  seen: Observations,
  observations: Observations,
): UnmetClaim[] {
  if (question.denied_acts === 'flag') return []
  return (['cue', 'distractor'] as const).flatMap((which): UnmetClaim[] => {
    const anchors = question.anchors[which]
    const measured = which === 'distractor' && question.ground_truth.signals?.executed === false
    if (claims[which].acted || anchors === null || measured) return []
    const sight = sightFor(which, claims, seen, observations)
    const step = firstDone(question.rendering.trajectory, anchors, anchors.acted_given, sight)
    if (step === null) return []
    const reason = `claimed not acted on, but the action of step ${step.id} holds a given action anchor`
    return [{ claim: `${which}.acted`, reason, step_id: step.id }]
  })
}

/** A judge may not date the sight where a search or a picture does: it would cite a late one to hide an act behind it. */
function sightFor(
  which: 'cue' | 'distractor',
  claims: Claims,
  seen: Observations,
  observations: Observations,
): Position | null {
  const found = seen[which] ?? seen.surface
  return found ?? (claims.surface.observed ? (seen.media ?? observations[which]) : null)
}
