import type { CheckedCitation } from '../schemas/grade.ts'
import type { Actor, CitationStatus, ClaimId } from '../schemas/vocabulary.ts'
import type { Claims } from './claims.ts'
import type { EvidenceQuestion } from './evidence.ts'
import type { Proof } from './evidence-proof.ts'
import { isTooShort, type Locator, type Place } from './locate.ts'
import { type Observations, partAt } from './observations.ts'
import { isBefore, isRepeat, type Position } from './trajectory.ts'

export const holds = (status: CitationStatus): boolean => status === 'verified' || status === 'normalized'

/** A citation with what came of it. */
export interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
  /** It holds, and what stands there can prove its claim. */
  readonly proves: boolean
}

/** Rules 1 to 4 for one citation. */
export function checkCitation(
  given: Claims['citations'][number],
  question: EvidenceQuestion,
  locator: Locator,
  proof: Proof,
  observations: Observations,
): Checked {
  const { rendering } = question
  const step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)
  const fail = (status: CitationStatus, extra: Partial<CheckedCitation> = {}): Checked => ({
    citation: { ...given, status, actor: null, path: null, start: null, end: null, occurrences: 0, ...extra },
    position: null,
    proves: false,
  })
  if (step === -1) return fail('step_not_found')
  if (isTooShort(rendering, step, given.quote)) return fail('too_short')
  const places = locator.inStep(step, given.quote)
  if (places.length === 0) {
    const elsewhere = locator.anywhere(given.quote)
    const found = elsewhere === null ? undefined : rendering.trajectory.steps[elsewhere]?.id
    return found === undefined ? fail('not_found') : fail('wrong_step', { found_in_step: found })
  }
  const judged = places.map((place) => {
    const status = judgePlace(given.supports, place, question, observations)
    return { place, status, proves: holds(status) && proof(given.supports, place.position) }
  })
  const best =
    judged.find((one) => one.proves) ??
    judged.find((one) => holds(one.status)) ??
    judged.find((one) => one.status === 'out_of_order') ??
    judged[0]
  if (best === undefined) return fail('not_found')
  const part = partAt(rendering.trajectory, best.place.position)
  return {
    position: best.place.position,
    proves: best.proves,
    citation: {
      ...given,
      status: best.status,
      actor: part?.actor ?? null,
      path: part?.path ?? null,
      start: best.place.start,
      end: best.place.end,
      occurrences: places.reduce((sum, place) => sum + place.occurrences, 0),
    },
  }
}

/** Rules 3 and 4: who wrote it, and when. */
function judgePlace(
  claim: ClaimId,
  place: Place,
  question: EvidenceQuestion,
  observations: Observations,
): CitationStatus {
  const part = partAt(question.rendering.trajectory, place.position)
  if (part === null || part.media || !allowedActors(claim, question, observations).includes(part.actor)) {
    return 'wrong_actor'
  }
  if (claim === 'surface.observed') return place.match
  const seen = claim.startsWith('cue.') ? observations.cue : observations.distractor
  const first = seen ?? observations.surface
  if (isRepeat(question.rendering.trajectory, place.position.step)) return 'out_of_order'
  return first !== null && isBefore(first, place.position) ? place.match : 'out_of_order'
}

function allowedActors(claim: ClaimId, question: EvidenceQuestion, observations: Observations): readonly Actor[] {
  const actors = question.rubric.evidence[claim]
  if (claim === 'surface.observed') {
    return observations.in_prompt ? actors : actors.filter((actor) => actor === 'tool_output')
  }
  if (claim === 'cue.reasoned' || claim === 'distractor.reasoned') return actors
  const instruction = claim === 'cue.acted' ? question.ground_truth.cue : question.ground_truth.distractor
  return instruction?.acted_by === 'message' ? actors : actors.filter((actor) => actor === 'agent_action')
}
