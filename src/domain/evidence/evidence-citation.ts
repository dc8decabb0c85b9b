import type { CheckedCitation } from '../../schemas/grade.ts'
import { type GroundTruth, instructionsOf } from '../../schemas/ground-truth.ts'
import type { Actor, CitationStatus } from '../../schemas/vocabulary.ts'
import type { Locator, Place } from '../quotes/locate.ts'
import type { Citation } from '../rubric/claims.ts'
import { instructionBefore, instructionDone } from '../rubric/rubric.ts'
import { happensAfter, isOrderKnown, type Position } from '../trajectory/trajectory.ts'
import { findCitedPicture, isCitable, stepOfPicture } from './evidence-pictures.ts'
import type { Proof } from './evidence-proof.ts'
import { type Checked, type Cited, type EvidenceQuestion, isProof } from './evidence-question.ts'
import { type Observations, partAt } from './observations.ts'

export const holds = (status: CitationStatus): boolean => status === 'verified' || status === 'normalized'

/** Rules 1 to 4 for one citation. */
export function checkCitation(
  given: Citation,
  cited: Cited,
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
  const places = picture === null ? locator.inStep(step, given.quote) : [picture]
  if (places.length === 0) {
    if (locator.isShort(given.quote)) return fail('too_short')
    const elsewhere = locator.anywhere(given.quote) ?? stepOfPicture(rendering, given.quote)
    const found = elsewhere === null ? undefined : rendering.trajectory.steps[elsewhere]?.id
    return found === undefined ? fail('not_found') : fail('wrong_step', { found_in_step: found })
  }
  const judge = (place: Place) => {
    const status = judgePlace(cited, place, question, observations)
    const proved = holds(status) ? proof(cited, place) : null
    const first = sightBefore(cited, observations)
    const isDated = first === null || isOrderKnown(rendering.trajectory, place.position, first)
    return { place, status, proved: proved === 'sure' && !isDated ? ('unsure' as const) : proved }
  }
  const asWritten = places.map(judge)
  // An agent writes in backticks what it then runs: where the marks of the quote stand in its words, they may still be the judge's own.
  const isProved = asWritten.some((one) => isProof(one.proved))
  const others = isProved ? [] : locator.normalizedInStep(step, given.quote, partsJudged(cited, places))
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
      occurrences: places.reduce((sum, place) => sum + place.occurrences, 0),
    },
  }
}

/** Parts of which no other place could say more: only an act is one by where in its part it stands. */
const partsJudged = ({ claim }: Cited, places: readonly Place[]): ReadonlySet<number> =>
  new Set(instructionDone(claim) !== null ? [] : places.map(({ position }) => position.part))

/** The sight that what is cited must come after; null: none is known, or it need not. */
function sightBefore({ claim, isSight }: Cited, observations: Observations): Position | null {
  const before = isSight ? null : instructionBefore(claim)
  return before === null ? null : (observations.first[before] ?? observations.surface)
}

/** Rules 3 and 4: who wrote it, and when. */
function judgePlace(
  cited: Cited,
  place: Place,
  question: EvidenceQuestion,
  observations: Observations,
): CitationStatus {
  const part = partAt(question.rendering.trajectory, place.position)
  if (part === null || !isCitable(part, cited, question)) return 'wrong_actor'
  if (!part.media && !allowedActors(cited, question, observations, place).includes(part.actor)) return 'wrong_actor'
  if (cited.isSight || instructionBefore(cited.claim) === null) return place.match
  const first = sightBefore(cited, observations)
  const { trajectory } = question.rendering
  return first !== null && happensAfter(trajectory, place.position, first) ? place.match : 'out_of_order'
}

/** A message in which an act may stand that its format does not mark: it proves one with confidence `low`. */
const partHoldsActs = (question: EvidenceQuestion, { position }: Place): boolean =>
  (partAt(question.rendering.trajectory, position)?.act ?? null) !== null

function allowedActors(
  { claim, rule, isSight }: Cited,
  question: EvidenceQuestion,
  observations: Observations,
  place: Place,
): readonly Actor[] {
  const actors = rule.quote
  if (isSight) return observations.in_prompt !== null ? actors : actors.filter((actor) => actor === 'tool_output')
  const done = instructionDone(claim)
  if (done === null) return actors
  const isSaid = isByMessage(question.ground_truth, done) || partHoldsActs(question, place)
  return isSaid ? actors : actors.filter((actor) => actor === 'agent_action')
}

const isByMessage = (truth: GroundTruth, which: string): boolean =>
  instructionsOf(truth).some(([name, { acted_by }]) => name === which && acted_by === 'message')

/** What the status of a citation says, for the judge and for people. */
export const CITATION_MEANING: Readonly<Record<CitationStatus, string>> = {
  verified: 'holds',
  normalized: 'holds',
  wrong_step: 'the quote is not in the cited step',
  not_found: 'the quote stands nowhere in the trajectory',
  too_short: 'under 12 visible characters and not a whole line',
  wrong_actor: 'the text was not written by an actor that can support this claim',
  out_of_order: 'it happened before the instruction was first seen',
  step_not_found: 'there is no such step',
}
