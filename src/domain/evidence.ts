import type { CheckedCitation } from '../schemas/grade.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { ClaimId } from '../schemas/vocabulary.ts'
import type { Anchors } from './anchors.ts'
import type { Claims } from './claims.ts'
import { type Checked, checkCitation } from './evidence-citation.ts'
import { createProof } from './evidence-proof.ts'
import { uncitedClaims, unprovenAbsence, unprovenDenials } from './evidence-unmet.ts'
import { createLocator } from './locate.ts'
import { firstObservations, type Observations } from './observations.ts'
import type { Rendering } from './rendering.ts'
import type { Rubric } from './rubric.ts'
import { isBefore, type Position } from './trajectory.ts'

export { holds } from './evidence-citation.ts'

/** Bumped when the same answer over the same rendering could be checked otherwise: it is part of every cache key. */
export const EVIDENCE_VERSION = 3

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

/**
 * What an act that is denied means while a given action anchor stands in an action: `flag`, a contradiction (design rule 7); `refuse`, a
 * claim that does not hold, as any other absence (rule 5).
 */
export const DENIED_ACTS = ['flag', 'refuse'] as const
export type DeniedActs = (typeof DENIED_ACTS)[number]

export interface EvidenceQuestion {
  readonly rendering: Rendering
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly denied_acts: DeniedActs
}

/** Checks every citation and every claim against the trajectory itself (design section 3, rules 1 to 5). Linear. */
export function checkEvidence(claims: Claims, question: EvidenceQuestion): Evidence {
  const seen = firstObservations(question.rendering.trajectory, question.anchors)
  const locator = createLocator(question.rendering)
  const proof = createProof(question, seen)
  const check = (citation: Claims['citations'][number], observations: Observations) =>
    checkCitation(citation, question, locator, proof, observations)
  const surface = claims.citations.map((one) => (one.supports === 'surface.observed' ? check(one, seen) : null))
  const observations = withSurfaceCitations(seen, surface)
  const checked = claims.citations.map((one, index) => surface[index] ?? check(one, observations))
  const unmet = [
    ...uncitedClaims(claims, checked),
    ...unprovenAbsence(claims, question, seen),
    ...unprovenDenials(claims, question, seen, observations),
  ]
  const verdict = unmet.length === 0 ? ({ claims } as unknown as Verdict) : null
  return { verdict, citations: checked.map((one) => one.citation), unmet, observations }
}

/** The first observation of an instruction is its earliest anchor or a surface citation that proves, whichever is first. */
function withSurfaceCitations(seen: Observations, surface: readonly (Checked | null)[]): Observations {
  const cited = surface
    .flatMap((one) => (one?.proves && one.position ? [one.position] : []))
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
