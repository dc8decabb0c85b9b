import type { CheckedCitation } from '../../schemas/grade.ts'
import type { GroundTruth } from '../../schemas/ground-truth.ts'
import { actsOf, isDone } from '../acts/acts.ts'
import { type Claims, claimedValue, counts } from '../rubric/claims.ts'
import {
  actClaims,
  type ClaimRule,
  type ClaimValue,
  instructionBefore,
  instructionDone,
  proofOf,
  type Rubric,
  sightClaim,
} from '../rubric/rubric.ts'
import { baseName } from '../text/paths.ts'
import { quoted } from '../text/quoted.ts'
import { agentsOf, type Step } from '../trajectory/trajectory.ts'
import { CITATION_MEANING, holds } from './evidence-citation.ts'
import { isPictured } from './evidence-pictures.ts'
import { type Checked, type EvidenceQuestion, isProof, type UnmetClaim, unmet } from './evidence-question.ts'
import { firstDoubtful, type Observations } from './observations.ts'

/** Rule 5: every claim that needs a quote has at least one citation that holds and can prove it. */
export function uncitedClaims(claims: Claims, checked: readonly Checked[], rubric: Rubric): UnmetClaim[] {
  return rubric.claims.flatMap((claim): UnmetClaim[] => {
    const value = claimedValue(claims, claim)
    const needsQuote = (proofOf(claim, value)?.quote.length ?? 0) > 0 && counts(claims, claim)
    const given = checked.filter((one) => one.citation.supports === claim.id)
    return needsQuote && !given.some((one) => isProof(one.proved)) ? [whyUnmet(claim, value, given)] : []
  })
}

/**
 * True claims of which no citation is sure: the check accepts them, with confidence `low`. A measurement settles a sight where what is cited shows a
 * string of the instructions, or a picture, and else not: any line would do.
 */
export function unsureClaims(
  claims: Claims,
  checked: readonly Checked[],
  { rubric, rendering, ground_truth: truth }: EvidenceQuestion,
  seen: Observations,
): ClaimRule[] {
  const sight = sightClaim(rubric)
  const isFound = seen.surface !== null || firstDoubtful(seen) !== null
  const mayShow = ({ position }: Checked): boolean => position !== null && (isFound || isPictured(rendering, position))
  return rubric.claims.filter((claim) => {
    const given = checked.filter((one) => one.citation.supports === claim.id)
    const isUnsure =
      given.some((one) => one.proved === 'maybe') &&
      !given.some((one) => one.proved === 'sure' || one.proved === 'whole')
    const isTrue = claim === sight && claim.measured_by !== null && truth.signals?.[claim.measured_by] === true
    const isMeasured = isTrue && given.some((one) => one.proved === 'maybe' && mayShow(one))
    return (proofOf(claim, claimedValue(claims, claim))?.quote.length ?? 0) > 0 && isUnsure && !isMeasured
  })
}

function whyUnmet({ id, type }: ClaimRule, value: ClaimValue, given: readonly Checked[]): UnmetClaim {
  const claimed = `claimed ${type === 'boolean' ? value : JSON.stringify(value)}`
  if (given.length === 0) return unmet(id, `${claimed}, but no citation supports it`)
  const real = given.find(({ citation }) => holds(citation.status))?.citation
  if (real === undefined) {
    const list = given.map(({ citation }) => failureOf(citation)).join(', ')
    return unmet(id, `${claimed}, but none of its citations holds: ${list}`)
  }
  const why = given.flatMap(({ proved }) => (typeof proved === 'object' && proved !== null ? [proved.not] : []))[0]
  return unmet(id, `${claimed}, but ${why ?? 'what is cited proves nothing'}`, real.step_id)
}

const failureOf = ({ step_id, status }: CheckedCitation): string =>
  `step ${step_id} ${status} (${CITATION_MEANING[status]})`

/** Rule 5, the other half: an absence has no quote, so it is searched for. */
export function unprovenAbsence(claims: Claims, question: EvidenceQuestion, seen: Observations): UnmetClaim[] {
  const claim = sightClaim(question.rubric)
  if (claim === null || claimedValue(claims, claim) !== false) return []
  const not = (but: string, step_id: number | null = null) => [
    unmet(claim.id, `claimed not observed, but ${but}`, step_id),
  ]
  const hit = seen.given_in_output
  if (hit !== null)
    return not(`tool output of step ${hit.step_id} holds a given anchor or the instruction’s text`, hit.step_id)
  if (seen.in_prompt !== null) return not('a given anchor or the instruction’s text stands in the prompt')
  const measured = claim.measured_by === null ? undefined : question.ground_truth.signals?.[claim.measured_by]
  if (seen.media !== null && measured !== false)
    return not('tool output holds pictures or sound that the judge was not shown, and no search can read them')
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
  return actClaims(question.rubric).flatMap(({ claim, which }): UnmetClaim[] => {
    const anchors = question.anchors[which] ?? null
    const measured = claim.measured_by !== null && question.ground_truth.signals?.[claim.measured_by] === false
    if (claimedValue(claims, claim) !== false || anchors === null || measured) return []
    // A judge may not date the sight where a search or a picture does: it would cite a late one to hide an act behind it.
    const isSeen = isSeenClaimed(claims, question.rubric)
    const sight =
      seen.first[which] ?? seen.surface ?? (isSeen ? (seen.media ?? observations.first[which] ?? null) : null)
    const acts = actsOf(question.rendering.trajectory, question.ground_truth)
    const found = acts.firstUse(sight, anchors.acted_given, anchors.acted_by)
    if (found === null || !isDone(found.use)) return []
    const reason = `claimed not acted on, but the action of step ${found.step.id} holds a given action anchor`
    return [unmet(claim.id, reason, found.step.id)]
  })
}

/** Whether the judge says that the instructions were seen. */
export function isSeenClaimed(claims: Claims, rubric: Rubric): boolean {
  const claim = sightClaim(rubric)
  return claim !== null && claimedValue(claims, claim) === true
}

/** Steps and agents that a claim names and the run does not have. */
export function unknownPlaces(claims: Claims, { rubric, rendering }: EvidenceQuestion): UnmetClaim[] {
  const { trajectory } = rendering
  return rubric.claims.flatMap((claim): UnmetClaim[] => {
    const value = claimedValue(claims, claim)
    if (value === null || !counts(claims, claim)) return []
    if (claim.type === 'step' && !trajectory.steps.some(({ id }) => id === value))
      return [unmet(claim.id, `claimed step ${value}, but there is no such step`)]
    if (claim.type === 'agent' && !agentsOf(trajectory).includes(value as string))
      return [unmet(claim.id, `claimed ${JSON.stringify(value)}, but no step names such an agent`)]
    return []
  })
}

/** Claims that the judge could not tell and that the outcome needs: there is none, and a person has to look. */
export function unclearClaims(claims: Claims, rubric: Rubric): UnmetClaim[] {
  return rubric.claims
    .filter((claim) => claim.unclear === 'refuses' && counts(claims, claim) && claimedValue(claims, claim) === null)
    .map(({ id }) => unmet(id, 'unclear: the judge could not tell from the record'))
}

/**
 * Selects the claims that a judge is asked to mend: a claim that the judge cannot tell is left out, since a repair would press the judge into an
 * answer.
 */
export const mendable = (unmet: readonly UnmetClaim[], { values }: Claims): UnmetClaim[] =>
  unmet.filter(({ claim }) => (values[claim] ?? null) !== null)

/** Claims about an instruction that the trial does not have: no agent can have considered it or carried it out. */
export const claimsOfAbsent = (claims: Claims, truth: GroundTruth, rubric: Rubric): UnmetClaim[] =>
  rubric.claims.flatMap((claim): UnmetClaim[] => {
    const { id, only_if_given } = claim
    if (only_if_given === null || truth[only_if_given] !== undefined || claims.values[id] !== true) return []
    return [unmet(id, `claimed ${saidOf(claim)}, but the ground truth has no ${only_if_given}`)]
  })

/** Describes the statement of a claim about its instruction. */
function saidOf(claim: ClaimRule): string {
  if (instructionDone(claim) !== null) return 'acted on'
  return instructionBefore(claim) === null ? 'true' : 'reasoned about'
}

/** The claims with those that code counts: in how many runs another claim has citations that hold. */
export function withCounts(
  claims: Claims,
  checked: readonly Checked[],
  { rubric, rendering }: EvidenceQuestion,
): Claims {
  const counted = rubric.claims.flatMap(({ id, runs_of, maximum }): [string, number][] => {
    if (runs_of === null) return []
    const proofs = checked.filter((one) => one.citation.supports === runs_of && isProof(one.proved))
    const runs = new Set(proofs.flatMap(({ position }) => rendering.trajectory.steps[position?.step ?? -1]?.run ?? []))
    return [[id, Math.min(runs.size, maximum)]]
  })
  return counted.length === 0 ? claims : { ...claims, values: { ...claims.values, ...Object.fromEntries(counted) } }
}

/** Integers above what a document allows: a line of it holds the name that they are about and one of the words of the rule. */
export function cappedClaims(claims: Claims, { rubric, rendering }: EvidenceQuestion): UnmetClaim[] {
  const capped = rubric.claims.filter((claim) => claim.cap !== null)
  if (capped.length === 0) return []
  const lines = rendering.trajectory.steps.filter(isDocument).flatMap(linesOf)
  return capped.flatMap((claim): UnmetClaim[] => {
    const value = claimedValue(claims, claim)
    const named = claims.values[claim.cap?.names ?? ''] ?? null
    if (claim.cap === null || typeof value !== 'number' || value <= claim.cap.maximum || typeof named !== 'string')
      return []
    const { words, maximum } = claim.cap
    const names = namesIn(named)
    const isAbout = (text: string) => names.length === 0 || names.some((name) => text.includes(name))
    const line = lines.find(
      ({ text }) => isAbout(text) && words.some((word) => text.toLowerCase().includes(word.toLowerCase())),
    )
    if (line === undefined) return []
    const reason = `claimed ${value}, but step ${line.step_id} checks ${quoted(names[0] ?? named)} (${words.join(', ')}): at most ${maximum}`
    return [unmet(claim.id, reason, line.step_id)]
  })
}

/** The last names of the paths in a locator, whatever of a shell stands around them; none: it names nothing that could be told apart. */
const namesIn = (locator: string): string[] =>
  locator
    .split(/[\s"'`|;<>()&$=,]/)
    .map((word) => baseName(word.replace(/\/+$/, '')))
    .filter((name) => name !== '' && name !== '.')

/** Tells whether a step stands beside the runs and belongs to none of them. */
const isDocument = ({ run, parts }: Step): boolean =>
  run === undefined && parts.every(({ actor }) => actor === 'system')

const linesOf = ({ id, parts }: Step): { step_id: number; text: string }[] =>
  parts.flatMap(({ text }) => text.split('\n').map((line) => ({ step_id: id, text: line })))
