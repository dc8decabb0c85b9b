import type { CheckedCitation, Contradiction, Limit } from '../../schemas/grade.ts'
import { createLocator } from '../quotes/locate.ts'
import { type Citation, type Claims, claimedValue, flatten, listedId, unflatten } from '../rubric/claims.ts'
import type { Verdict } from '../rubric/outcome.ts'
import { citingProof, type Rubric, sightClaim } from '../rubric/rubric.ts'
import { isSeen } from '../trajectory/order.ts'
import { earlier, FAILED, type Position, type Trajectory } from '../trajectory/trajectory.ts'
import { findContradictions } from './contradictions.ts'
import { checkCitation, createProof } from './evidence-citation.ts'
import { firstCitedPicture, restsOnPictures } from './evidence-pictures.ts'
import { type Checked, type Cited, type EvidenceQuestion, isProof, type UnmetClaim } from './evidence-question.ts'
import { unmetClaims, unsureClaims, withCounts } from './evidence-unmet.ts'
import { findLimits } from './limits.ts'
import { firstMedia, firstObservations, type Observations, partAt } from './observations.ts'

export { holds } from './evidence-citation.ts'

export interface Evidence {
  /** The claims, with the values that code counts. */
  readonly claims: Claims
  /** Null where a claim is unmet: then there is no label. */
  readonly verdict: Verdict | null
  readonly citations: readonly CheckedCitation[]
  readonly unmet: readonly UnmetClaim[]
  /** Contradictions that no evidence settles: each caps the confidence at `low`. */
  readonly contradictions: readonly Contradiction[]
  /** Claims whose evidence allows no more than `medium`. */
  readonly limits: readonly Limit[]
}

/**
 * Checks every citation and every claim against the trajectory itself (design section 3, rules 1 to 5), those of a list entry by entry. Linear in
 * the run.
 */
export function checkEvidence(claims: Claims, question: EvidenceQuestion): Evidence {
  const flat = flatten(claims, question.rubric)
  const { checked, values, ...rest } = checkFlat(flat.claims, { ...question, rubric: flat.rubric })
  const known = { ...claims, values: unflatten(values, claims, question.rubric) }
  return {
    ...rest,
    claims: known,
    contradictions: [...rest.contradictions, ...emptyLists(known, question.rubric)],
    verdict: rest.unmet.length === 0 ? ({ claims: known } as unknown as Verdict) : null,
    citations: checked.map(({ citation }) => ({ ...citation, supports: listedId(citation.supports) })),
  }
}

/** Finds empty lists, which no quote proves. */
const emptyLists = ({ values }: Claims, { claims }: Rubric): Contradiction[] =>
  claims.flatMap(({ id, type }): Contradiction[] => {
    const value = values[id]
    if (type !== 'list' || !Array.isArray(value) || value.length > 0) return []
    const detail = 'claimed that there is nothing to list, which no quote can show'
    return [{ code: 'doubtful_absence', claim: id, detail, step_id: null }]
  })

interface FlatEvidence extends Pick<Evidence, 'unmet' | 'contradictions' | 'limits'> {
  readonly checked: readonly Checked[]
  /** With what code counts. */
  readonly values: Claims['values']
}

function checkFlat(given: Claims, question: EvidenceQuestion): FlatEvidence {
  const { rendering, rubric } = question
  const sight = sightClaim(rubric)
  const seen = {
    ...firstObservations(rendering.trajectory, question.anchors),
    media: firstMedia(rendering.trajectory, rendering.pictures, (at) => isSeen(rendering.trajectory, at)),
  }
  const locator = createLocator(rendering)
  const proof = createProof(given, question, seen)
  const citedOf = ({ supports }: Citation): Cited => {
    const claim = rubric.claims.find(({ id }) => id === supports)
    const rule = claim === undefined ? null : citingProof(claim, claimedValue(given, claim))
    if (claim === undefined || rule === null) throw new Error(`the answer schema lets nobody cite ${supports}`)
    return { claim, rule, isSight: claim === sight }
  }
  const check = (citation: Citation, observations: Observations) =>
    checkCitation(citation, citedOf(citation), question, locator, proof, observations)
  const surface = given.citations.map((one) => (one.supports === sight?.id ? check(one, seen) : null))
  const picture = firstCitedPicture(rendering, surface)
  const checkAll = (observations: Observations) =>
    given.citations.map((one, index) => surface[index] ?? check(one, observations))
  const certain = { ...withSurfaceCitations(withPicture(seen, picture), surface), media: seen.media ?? picture }
  const first = checkAll(certain)
  const isEarly = first.some((one) => one.citation.status === 'out_of_order')
  const observations = isEarly ? datedByDoubt(certain, surface) : certain
  const checked = observations === certain ? first : checkAll(observations)
  const claims = withCounts(given, checked, question)
  const answer = { claims, question, checked, searched: { ...seen, media: observations.media }, dated: observations }
  const isPicture = sight !== null && restsOnPictures(claims, question, seen, picture)
  const failed = checked.filter((one) => isOfFailedCall(one, rendering.trajectory))
  const contradictions = findContradictions(answer, {
    unsure: [...unsureClaims(answer), ...(isPicture ? [sight] : [])],
    failed: new Set(failed.map(({ citation }) => citation.supports)),
  })
  // In contradictions cited media speak for a sight, too; only media that the judge was not shown refute an absence.
  const unmet = unmetClaims({ ...answer, searched: seen })
  return { checked, values: claims.values, unmet, contradictions, limits: findLimits(claims, question, checked) }
}

function isOfFailedCall({ position }: Checked, trajectory: Trajectory): boolean {
  const act = position === null ? null : partAt(trajectory, position)?.act
  return act != null && FAILED.has(act.call.outcome)
}

/** A picture that the judge was shown, and cites, dates what it saw, also where a search finds the text later. */
function withPicture(seen: Observations, picture: Position | null): Observations {
  if (picture === null) return seen
  const first = Object.entries(seen.first).map(([which, position]) => [which, earlier(position, picture)])
  return { ...seen, surface: earlier(seen.surface, picture), first: Object.fromEntries(first) }
}

/**
 * The first observation is the first certain sight. Where a search finds none, the judge's own citation of the surface dates it: what it says was
 * acted on must at least come after what it says was seen. Such a grade is `low`.
 */
function withSurfaceCitations(seen: Observations, surface: readonly (Checked | null)[]): Observations {
  if (seen.surface !== null) return seen
  return { ...seen, surface: citedAt(surface).reduce<Position | null>((first, one) => earlier(first, one), null) }
}

/** An act before the certain sight may come after a doubtful one, where the judge cites that. Such a grade is `low`. */
function datedByDoubt(seen: Observations, surface: readonly (Checked | null)[]): Observations {
  const cited = citedAt(surface)
  const dates = Object.entries(seen.doubtful).flatMap(([which, doubtful]) => {
    const position = doubtful?.position
    const isCited = position !== undefined && cited.some(({ step }) => step === position.step)
    return isCited && (seen.first[which] ?? null) !== null ? [[which, position] as const] : []
  })
  if (dates.length === 0) return seen
  return {
    ...seen,
    surface: dates.reduce<Position | null>((first, [, one]) => earlier(first, one), seen.surface),
    first: { ...seen.first, ...Object.fromEntries(dates) },
    dated_by_doubt: true,
  }
}

const citedAt = (surface: readonly (Checked | null)[]): Position[] =>
  surface.flatMap((one) => (isProof(one?.proved) && one?.position ? [one.position] : []))
