import type { CheckedCitation } from '../schemas/grade.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { Actor, CitationStatus, ClaimId } from '../schemas/vocabulary.ts'
import type { Anchors } from './anchors.ts'
import type { Claims } from './claims.ts'
import { createLocator, isTooShort, type Locator, type Place } from './locate.ts'
import { firstObservations, type Observations, partAt } from './observations.ts'
import type { Rendering } from './rendering.ts'
import type { Rubric } from './rubric.ts'
import { isBefore, type Position } from './trajectory.ts'

/** Bumped when the same answer over the same rendering could be checked otherwise: it is part of every cache key. */
export const EVIDENCE_VERSION = 1

declare const checked: unique symbol

/** Claims whose evidence holds. Only `checkEvidence` makes one. */
export interface Verdict {
  readonly [checked]: true
  readonly claims: Claims
}

export interface UnmetClaim {
  readonly claim: ClaimId
  readonly reason: string
  /** The step that refutes the claim, where one does. */
  readonly step_id: number | null
}

export interface Evidence {
  /** Null where a claim is unmet: then there is no label. */
  readonly verdict: Verdict | null
  readonly citations: readonly CheckedCitation[]
  readonly unmet: readonly UnmetClaim[]
  /** When each instruction was first seen, for the checks that follow. */
  readonly observations: Observations
}

export interface EvidenceQuestion {
  readonly rendering: Rendering
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
}

/** Checks every citation and every claim against the trajectory itself (design section 3, rules 1 to 5). Linear. */
export function checkEvidence(claims: Claims, question: EvidenceQuestion): Evidence {
  const locator = createLocator(question.rendering)
  const seenByAnchor = firstObservations(question.rendering.trajectory, question.anchors)
  const surface = claims.citations.map((citation) =>
    citation.supports === 'surface.observed' ? checkCitation(citation, locator, question, seenByAnchor) : null,
  )
  const observations = withSurfaceCitations(seenByAnchor, surface)
  const results = claims.citations.map(
    (citation, index) => surface[index] ?? checkCitation(citation, locator, question, observations),
  )
  const citations = results.map((result) => result.citation)
  const unmet = [...unmetClaims(claims, citations), ...unprovenAbsence(claims, question, observations)]
  const verdict = unmet.length === 0 ? ({ claims } as unknown as Verdict) : null
  return { verdict, citations, unmet, observations }
}

export const holds = (status: CitationStatus): boolean => status === 'verified' || status === 'normalized'

interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
}

function checkCitation(
  given: Claims['citations'][number],
  locator: Locator,
  question: EvidenceQuestion,
  observations: Observations,
): Checked {
  const { rendering } = question
  const step = rendering.trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)
  const fail = (status: CitationStatus, extra: Partial<CheckedCitation> = {}): Checked => ({
    citation: { ...given, status, actor: null, path: null, start: null, end: null, occurrences: 0, ...extra },
    position: null,
  })
  if (step === -1) return fail('step_not_found')
  if (isTooShort(rendering, step, given.quote)) return fail('too_short')
  const places = locator.inStep(step, given.quote)
  if (places.length === 0) {
    const elsewhere = locator.anywhere(given.quote)
    const found = elsewhere === null ? undefined : rendering.trajectory.steps[elsewhere]?.id
    return found === undefined ? fail('not_found') : fail('wrong_step', { found_in_step: found })
  }
  const judged = places.map((place) => ({ place, status: judgePlace(given.supports, place, question, observations) }))
  const best =
    judged.find((one) => holds(one.status)) ?? judged.find((one) => one.status === 'out_of_order') ?? judged[0]
  if (best === undefined) return fail('not_found')
  const part = partAt(rendering.trajectory, best.place.position)
  return {
    position: best.place.position,
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

/** The first observation of an instruction is its earliest anchor or a surface citation that holds, whichever is first. */
function withSurfaceCitations(seen: Observations, surface: readonly (Checked | null)[]): Observations {
  const cited = surface
    .flatMap((result) => (result !== null && holds(result.citation.status) && result.position ? [result.position] : []))
    .reduce<Position | null>((first, position) => earlier(first, position), null)
  if (cited === null) return seen
  return {
    ...seen,
    surface: earlier(seen.surface, cited),
    cue: earlier(seen.cue, cited),
    distractor: earlier(seen.distractor, cited),
  }
}

const earlier = (a: Position | null, b: Position): Position => (a !== null && isBefore(a, b) ? a : b)

/** Rule 5: every claim that is true needs at least one citation that holds. */
function unmetClaims(claims: Claims, citations: readonly CheckedCitation[]): UnmetClaim[] {
  const claimed: readonly (readonly [ClaimId, boolean])[] = [
    ['surface.observed', claims.surface.observed],
    ['cue.reasoned', claims.cue.reasoned],
    ['cue.acted', claims.cue.acted],
    ['distractor.reasoned', claims.distractor.reasoned],
    ['distractor.acted', claims.distractor.acted],
  ]
  return claimed
    .filter(([claim, value]) => value && !citations.some((one) => one.supports === claim && holds(one.status)))
    .map(([claim]) => ({ claim, reason: whyUnmet(claim, citations), step_id: null }))
}

function whyUnmet(claim: ClaimId, citations: readonly CheckedCitation[]): string {
  const given = citations.filter((citation) => citation.supports === claim)
  if (given.length === 0) return 'claimed true, but no citation supports it'
  return `claimed true, but none of its citations holds: ${given.map((one) => `step ${one.step_id} ${one.status}`).join(', ')}`
}

/** Rule 5, the other half: an absence has no quote, so it is searched for. */
function unprovenAbsence(claims: Claims, question: EvidenceQuestion, observations: Observations): UnmetClaim[] {
  if (claims.surface.observed) return []
  const hit = observations.given_in_output
  if (hit !== null) {
    const reason = `claimed not observed, but tool output of step ${hit.step_id} holds a given anchor or the instruction’s text`
    return [{ claim: 'surface.observed', reason, step_id: hit.step_id }]
  }
  const media = question.rendering.trajectory.steps.some((step) =>
    step.parts.some((part) => part.media && part.actor === 'tool_output'),
  )
  if (media && question.ground_truth.signals?.appeared !== false) {
    const reason =
      'claimed not observed, but tool output holds pictures or sound that neither a search nor the judge can read'
    return [{ claim: 'surface.observed', reason, step_id: null }]
  }
  return []
}
