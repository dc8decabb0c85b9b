import type { CheckedCitation, Contradiction, Limit } from '../../schemas/grade.ts'
import type { ActionAnchor, GroundTruth } from '../../schemas/trial.ts'
import { type Acts, actsOf } from '../acts/acts.ts'
import { actStrings, type InstructionAnchors, textOfAnchor } from '../anchors/anchors.ts'
import { type Digest, digestValue } from '../digest.ts'
import { createLocator } from '../quotes/locate.ts'
import type { Citation, Claims, Verdict } from '../rubric/claims.ts'
import { claimedValue, flatten, listedId, unflatten } from '../rubric/claims.ts'
import { PROMPT_VERSION } from '../rubric/prompt.ts'
import { actClaims, type ClaimRule, citingProof, type Rubric, sightClaim } from '../rubric/rubric.ts'
import { isOption } from '../shell/script.ts'
import { RENDERING_VERSION } from '../trajectory/rendering.ts'
import { earlier, FAILED, isSeen, type Part, type Position, READER_VERSION } from '../trajectory/trajectory.ts'
import { checkCitation, createProof } from './citations.ts'
import { findContradictions } from './contradictions.ts'
import type { DeniedActs, EvidenceQuestion, Observations, UnmetClaim } from './observations.ts'
import { doubt, firstMedia, firstObservations, isProof, measuredOf, partAt, restsOnPictures } from './observations.ts'
import { type CheckedAnswer, isSeenClaimed, unmetClaims, unsureClaims, withCounts } from './unmet-claims.ts'

export { holds } from './citations.ts'

/** Bumped when the same answer over the same rendering could be checked otherwise. */
export const EVIDENCE_VERSION = 22

export interface KeyParts {
  readonly trajectory: Digest
  readonly ground_truth: GroundTruth
  /** Holds its prompt and its answer schema. */
  readonly rubric_digest: Digest
  /** Provider, base URL, model, parameters. */
  readonly judge: unknown
  readonly samples: number
  readonly denied_acts: DeniedActs
}

/** Digest over all that can change the answer, and nothing else. */
export function cacheKey({ trajectory, ground_truth, rubric_digest: rubric, judge, samples, denied_acts }: KeyParts) {
  const [prompt, rendering, evidence, reader] = [PROMPT_VERSION, RENDERING_VERSION, EVIDENCE_VERSION, READER_VERSION]
  const versions = { prompt, rendering, evidence, reader }
  return digestValue({ trajectory, ground_truth, rubric, judge, samples, denied_acts, versions })
}

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

/** Checks every citation and claim against the trajectory (design section 3, rules 1 to 5), lists entry by entry. Linear in the run. */
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
    return [doubt('doubtful_absence', id, 'claimed that there is nothing to list, which no quote can show')]
  })

/** Letters of a given anchor that proves something as a quote. */
const SHORTEST_ANCHOR = 6

/** Checks claims without lists; the values are those of the claims and of the counts of code. */
function checkFlat(answered: Claims, question: EvidenceQuestion) {
  const { rendering, rubric } = question
  const sight = sightClaim(rubric)
  const seen = {
    ...firstObservations(rendering.trajectory, question.anchors),
    media: firstMedia(rendering.trajectory, rendering.pictures, (at) => isSeen(rendering.trajectory, at)),
  }
  const given = Object.values(question.anchors).flatMap(
    (own) => own?.acted_given.filter((one) => typeof one === 'string') ?? [],
  )
  const locator = createLocator(rendering, new Set(given.filter((text) => text.length >= SHORTEST_ANCHOR)))
  const proof = createProof(answered, question, seen)
  const check = (citation: Citation, observations: Observations) => {
    const claim = rubric.claims.find(({ id }) => id === citation.supports)
    const rule = claim === undefined ? null : citingProof(claim, claimedValue(answered, claim))
    if (claim === undefined || rule === null) throw new Error(`the answer schema lets nobody cite ${citation.supports}`)
    const cited = { claim, rule, isSight: claim === sight }
    return checkCitation(citation, cited, question, locator, proof, observations)
  }
  const surface = answered.citations.map((one) => (one.supports === sight?.id ? check(one, seen) : null))
  const cited = surface.flatMap((one) => (isProof(one?.proved) && one?.position ? [one.position] : []))
  const shown = cited.filter((at) => rendering.pictures.has(partAt(rendering.trajectory, at) as Part))
  const picture = shown.reduce<Position | null>(earlier, null)
  const pictured = withPicture(seen, picture)
  // Where no search dates the surface for certain, the judge's own citation does: an act must come after it. Such a grade is `low`.
  const certain = {
    ...pictured,
    surface: pictured.surface ?? cited.reduce<Position | null>(earlier, null),
    media: seen.media ?? picture,
  }
  const checkAll = (observations: Observations) =>
    answered.citations.map((one, index) => surface[index] ?? check(one, observations))
  const first = checkAll(certain)
  const isEarly = first.some((one) => one.citation.status === 'out_of_order')
  const dated = isEarly ? datedByDoubt(certain, cited) : certain
  const checked = dated === certain ? first : checkAll(dated)
  const claims = withCounts(answered, checked, question)
  const answer = { claims, question, checked, searched: { ...seen, media: dated.media }, dated }
  const isPicture = sight !== null && restsOnPictures(sight, answer, seen, picture)
  const failed = checked.filter(({ position }) => {
    const act = position === null ? null : partAt(rendering.trajectory, position)?.act
    return act != null && FAILED.has(act.call.outcome)
  })
  const unsure = [...unsureClaims(answer), ...(isPicture ? [sight] : [])]
  const contradictions = findContradictions(answer, unsure, new Set(failed.map(({ citation }) => citation.supports)))
  // In contradictions cited media speak for a sight, too; only media that the judge was not shown refute an absence.
  const unmet = unmetClaims({ ...answer, searched: seen })
  return {
    checked,
    values: claims.values,
    unmet,
    contradictions,
    limits: [...partsOfActs(answer), ...searchedDenials(answer), ...quotesAlone(answer)],
  }
}

/** Dates the sights by a picture that the judge was shown, and cites, also where a search finds the text later. */
function withPicture(seen: Observations, picture: Position | null): Observations {
  if (picture === null) return seen
  const first = Object.entries(seen.first).map(([which, position]) => [which, earlier(position, picture)])
  return { ...seen, surface: earlier(seen.surface, picture), first: Object.fromEntries(first) }
}

/** Dates the sights by doubtful ones that the judge cites: an act before the certain sight may come after them. */
function datedByDoubt(seen: Observations, cited: readonly Position[]): Observations {
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
  }
}

// Limits allow `medium`: acts that an anchor names in part, denials that rest on a search. Contradictions allow `low`.

/** Finds claimed acts of which the best quote proves a part of an anchor only, or a command whose success is not known. */
const partsOfActs = ({ claims, question, checked }: CheckedAnswer): Limit[] =>
  actClaims(question.rubric).flatMap(({ claim, which }): Limit[] => {
    const proofs = checked.filter(({ citation }) => citation.supports === claim.id)
    const best = proofs.find(({ proved }) => proved === 'sure')
    const isWhole = proofs.some(({ proved }) => proved === 'whole')
    if (best === undefined || isWhole || claimedValue(claims, claim) !== true) return []
    const { position, citation } = best
    const part = position === null ? null : partAt(question.rendering.trajectory, position)
    const anchors = question.anchors[which] ?? null
    const acts = actsOf(question.rendering.trajectory, question.ground_truth)
    const why = position === null || anchors === null ? null : acts.whyInPart(position, actStrings(anchors))
    const isGiven = (anchors?.acted_given.length ?? 0) > 0
    const [reason, way] = reasonOfPart(part, citation.step_id, isGiven ? why : NOT_GIVEN)
    return [limit('part_of_act', claim, reason, lifts(claim, way), citation.step_id)]
  })

const NOT_GIVEN = 'no action anchor is given'
const WHOLE_ANCHOR =
  'a whole plain command, or a call with the full name of its tool and a whole argument, as action anchor'
const LIFT_BY_PERSON = 'nothing in this run: a review by a person decides the case'

/** Tells why an act is not whole, and what would lift the limit. */
function reasonOfPart(part: Part | null, step: number, why: string | null): [reason: string, way: string] {
  const act = part?.act ?? null
  if (part?.actor === 'agent_message')
    return [
      `the message of step ${step} has the words, and no search tells whether other words take them back`,
      'nothing in the run: a message is `medium` at most',
    ]
  if (act?.language === 'keystrokes')
    return [
      `the command of step ${step} was typed into a terminal, and no search tells what the terminal was doing`,
      'a run that records commands in place of keys',
    ]
  const isTold = act !== null && act.language === null && why !== null
  if (!isTold && (act?.call.outcome === 'unknown' || act?.call.outcome === 'answered'))
    return [
      `the run does not say whether the call of step ${step} succeeded`,
      'a run that keeps the outcomes of its calls (`outcome` in `steps`)',
    ]
  if (why === NOT_GIVEN) return [`the action of step ${step} fits a command of the text, and ${why}`, WHOLE_ANCHOR]
  if (why !== null) return [`the action of step ${step} is not sure in full: ${why}`, LIFT_BY_PERSON]
  return [
    `the action of step ${step} holds the words of an action anchor, and further words, arguments or commands beside them may change the act`,
    WHOLE_ANCHOR,
  ]
}

/** Joins the ways that lift a limit: a signal helps where one measures the claim. */
const lifts = ({ measured_by }: ClaimRule, way: string): string =>
  measured_by === null ? way : `${way}; or the signal \`${measured_by}\` of the harness`

/** Finds denials that no signal settles: a search reads no paraphrase of a sight, and no act in other words that its anchors leave possible. */
function searchedDenials({ claims, question }: CheckedAnswer): Limit[] {
  const { rubric, rendering, ground_truth: truth, anchors } = question
  const isDenied = (claim: ClaimRule): boolean =>
    claimedValue(claims, claim) === false && measuredOf(claim, question) !== false
  const sight = sightClaim(rubric)
  if (sight !== null && isDenied(sight)) {
    const reason = 'a search finds no text of the instructions, and reads no paraphrase'
    return [limit('searched', sight, reason, 'the signal `appeared` of the harness')]
  }
  if (!isSeenClaimed(claims, rubric)) return []
  const acts = actsOf(rendering.trajectory, truth)
  return actClaims(rubric).flatMap(({ claim, which }): Limit[] => {
    const own = anchors[which] ?? null
    const open = own === null || !isDenied(claim) ? null : openDenial(acts, own)
    if (open === null) return []
    const holder = open.step ? `: step ${open.step.id} has some of these words, or text that no search reads` : ''
    const reason = `no act after the sight has the words of the action anchors of the ${which}, but an act in other words cannot be excluded${holder}`
    return [limit('searched', claim, reason, lifts(claim, LIFT_DENIAL), open.step?.id)]
  })
}

/** Finds claims of a rubric without a sight or an act: quotes prove that words stand in the run, and no search checks what the words mean. */
function quotesAlone({ question: { rubric } }: CheckedAnswer): Limit[] {
  if (sightClaim(rubric) !== null || actClaims(rubric).length > 0) return []
  const reason = 'quotes prove that the words stand in the run, and no search checks what the judge concludes from them'
  return [limit('quotes', null, reason, LIFT_BY_PERSON)]
}

/** Finds the step that leaves a denial open; null: whole commands or calls are given, every act was read, no output shows them as a recipe, and no act or message may hold a word that distinguishes them. */
function openDenial(acts: Acts, { acted_given: given, acted_near: near, acted_by }: InstructionAnchors) {
  const isSearched = given.every((anchor) => {
    const isWhole = typeof anchor === 'string' ? hasOperand(anchor.trim()) : anchor.argument !== undefined
    return isWhole && wordsOf(anchor).length > 0
  })
  const step = acts.firstHolder([...near, ...given.flatMap(wordsOf)])
  // A message and an output may say the same in other words.
  const isWholeDenial = acts.isWhole && acted_by === 'action' && given.length > 0 && isSearched && step === undefined
  return isWholeDenial && !given.some((anchor) => acts.isShown(textOfAnchor(anchor))) ? null : { step }
}

const PROGRAM = /^[\w./-]+$/u
const OPERAND = /\d|[\p{L}\d][/.@:]|[/@:][\p{L}\d]/u
/** Tells whether a text is a command with a path, a number or an address: `cargo clean` is also done by `rm -r target`. */
function hasOperand(text: string): boolean {
  const [program = '', ...words] = text.split(/\s+/u)
  return PROGRAM.test(program) && words.some((word) => !isOption(word) && OPERAND.test(word))
}
const SHORTEST = 3
/** Lists the words of an anchor that distinguish it: three letters or digits and more. */
const wordsOf = (anchor: ActionAnchor): string[] =>
  `${typeof anchor === 'string' ? '' : `${anchor.tool} `}${textOfAnchor(anchor)}`
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length >= SHORTEST)

const LIFT_DENIAL =
  'whole commands or calls as action anchors, of which no act holds a word, in a run whose tools and scripts are all known'

const limit = (
  code: 'part_of_act' | 'searched' | 'quotes',
  claim: ClaimRule | null,
  reason: string,
  lift: string,
  step_id: number | null = null,
): Limit => ({ level: 'medium', code, claim: claim?.id ?? null, step_id, reason, lift })
