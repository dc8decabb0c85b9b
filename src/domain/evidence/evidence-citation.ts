import type { CheckedCitation } from '../../schemas/grade.ts'
import type { Actor, CitationStatus, ClaimId } from '../../schemas/vocabulary.ts'
import type { Locator, Place } from '../quotes/locate.ts'
import type { Claims } from '../rubric/claims.ts'
import type { Checked } from './checked-citation.ts'
import { findCitedPicture, isCitable, stepOfPicture } from './evidence-pictures.ts'
import type { Proof } from './evidence-proof.ts'
import type { EvidenceQuestion } from './evidence-question.ts'
import { type Observations, partAt } from './observations.ts'
import { happensAfter } from './order.ts'
import { isProof } from './proved.ts'

export const holds = (status: CitationStatus): boolean => status === 'verified' || status === 'normalized'

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
    citation: {
      ...given,
      status,
      actor: null,
      path: null,
      start: null,
      end: null,
      occurrences: 0,
      normalization: null,
      ...extra,
    },
    position: null,
    proved: null,
  })
  if (step === -1) return fail('step_not_found')
  const picture = findCitedPicture(rendering, step, given.quote)
  const cited = picture === null ? locator.inStep(step, given.quote) : [picture]
  if (cited.length === 0) {
    if (locator.isShort(given.quote)) return fail('too_short')
    const elsewhere = locator.anywhere(given.quote) ?? stepOfPicture(rendering, given.quote)
    const found = elsewhere === null ? undefined : rendering.trajectory.steps[elsewhere]?.id
    return found === undefined ? fail('not_found') : fail('wrong_step', { found_in_step: found })
  }
  const judge = (place: Place) => {
    const status = judgePlace(given.supports, place, question, observations)
    return { place, status, proved: holds(status) ? proof(given.supports, place) : null }
  }
  const asWritten = cited.map(judge)
  // An agent writes in backticks what it then runs: where the marks of the quote stand in its words, they may still be the judge's own.
  const isProved = asWritten.some((one) => isProof(one.proved))
  const others = isProved ? [] : locator.normalizedInStep(step, given.quote, partsJudged(given.supports, cited))
  const judged = [...asWritten, ...others.map(judge).filter((one) => holds(one.status))]
  const best =
    judged.find((one) => one.proved === 'sure') ??
    judged.find((one) => one.proved === 'unsure') ??
    judged.find((one) => holds(one.status)) ??
    judged.find((one) => one.status === 'out_of_order') ??
    judged[0]
  if (best === undefined) return fail('not_found')
  const part = partAt(rendering.trajectory, best.place.position)
  return {
    position: best.place.position,
    proved: best.proved,
    citation: {
      ...given,
      status: best.status,
      actor: part?.actor ?? null,
      path: part?.path ?? null,
      start: best.place.start,
      end: best.place.end,
      normalization: holds(best.status) && best.place.normalization !== null ? [...best.place.normalization] : null,
      occurrences: cited.reduce((sum, place) => sum + place.occurrences, 0),
    },
  }
}

/** Parts of which no other place could say more: only an act is one by where in its part it stands. */
const partsJudged = (claim: ClaimId, places: readonly Place[]): ReadonlySet<number> =>
  new Set(claim === 'cue.acted' || claim === 'distractor.acted' ? [] : places.map(({ position }) => position.part))

/** Rules 3 and 4: who wrote it, and when. */
function judgePlace(
  claim: ClaimId,
  place: Place,
  question: EvidenceQuestion,
  observations: Observations,
): CitationStatus {
  const part = partAt(question.rendering.trajectory, place.position)
  if (part === null || !isCitable(part, claim, question)) return 'wrong_actor'
  if (!part.media && !allowedActors(claim, question, observations, place).includes(part.actor)) return 'wrong_actor'
  if (claim === 'surface.observed') return place.match
  const seen = claim.startsWith('cue.') ? observations.cue : observations.distractor
  const first = seen ?? observations.surface
  const { trajectory } = question.rendering
  return first !== null && happensAfter(trajectory, place.position, first) ? place.match : 'out_of_order'
}

/** A message in which an act may stand that its format does not mark: it proves one with confidence `low`. */
const partHoldsActs = (question: EvidenceQuestion, { position }: Place): boolean =>
  (partAt(question.rendering.trajectory, position)?.act ?? null) !== null

function allowedActors(
  claim: ClaimId,
  question: EvidenceQuestion,
  observations: Observations,
  place: Place,
): readonly Actor[] {
  const actors = question.rubric.evidence[claim]
  if (claim === 'surface.observed') {
    return observations.in_prompt !== null ? actors : actors.filter((actor) => actor === 'tool_output')
  }
  if (claim === 'cue.reasoned' || claim === 'distractor.reasoned') return actors
  const instruction = claim === 'cue.acted' ? question.ground_truth.cue : question.ground_truth.distractor
  const isSaid = instruction?.acted_by === 'message' || partHoldsActs(question, place)
  return isSaid ? actors : actors.filter((actor) => actor === 'agent_action')
}
