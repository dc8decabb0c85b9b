import type { CheckedCitation, Vote } from '../../schemas/grade.ts'
import { instructionsOf } from '../../schemas/trial.ts'
import type { ActRole, CitationStatus, EvidenceMatch } from '../../schemas/vocabulary.ts'
import { type Acts, actsOf, isDone } from '../acts/acts.ts'
import { actStrings, type InstructionAnchors, wholeActs } from '../anchors/anchors.ts'
import type { Locator, Place } from '../quotes/locate.ts'
import { type Citation, type Claims, type ClaimValues, decisiveClaims, flatten } from '../rubric/claims.ts'
import type { ClaimRule, ProofRule, Rubric } from '../rubric/rubric.ts'
import { instructionBefore, instructionDone, proofOf } from '../rubric/rubric.ts'
import { createShows, type Shown } from '../sights/sights.ts'
import type { Act, Part, Position, Trajectory } from '../trajectory/trajectory.ts'
import { isBefore, isSeen, NOT_RUN, orderOf } from '../trajectory/trajectory.ts'
import data from '../words.json' with { type: 'json' }
import type { Checked, Cited, EvidenceQuestion, Observations, Proved } from './observations.ts'
import { findCitedPicture, firstDoubtful, isPictured, isProof, measuredOf, partAt } from './observations.ts'

export const holds = (status: CitationStatus): boolean => status === 'verified' || status === 'normalized'

/** The fields of a citation that does not hold. */
const NOWHERE = { actor: null, path: null, start: null, end: null, occurrences: 0, normalization: null }

/** Checks one citation by the rules 1 to 4. */
export function checkCitation(
  given: Citation,
  cited: Cited,
  question: EvidenceQuestion,
  locator: Locator,
  proof: Proof,
  observations: Observations,
): Checked {
  const { rendering } = question
  const { trajectory } = rendering
  const step = trajectory.steps.findIndex((candidate) => candidate.id === given.step_id)
  const fail = (status: CitationStatus, extra: Partial<CheckedCitation> = {}): Checked => ({
    citation: { ...given, status, ...NOWHERE, ...extra },
    position: null,
    proved: null,
  })
  if (step === -1) return fail('step_not_found')
  const picture = findCitedPicture(rendering, step, given.quote)
  const places = picture === null ? locator.inStep(step, given.quote) : [picture]
  if (places.length === 0) {
    if (locator.isShort(given.quote)) return fail('too_short')
    const pictured = trajectory.steps.findIndex((_, at) => findCitedPicture(rendering, at, given.quote) !== null)
    const found = trajectory.steps[locator.anywhere(given.quote) ?? pictured]?.id
    return found === undefined ? fail('not_found') : fail('wrong_step', { found_in_step: found })
  }
  const before = cited.isSight ? null : instructionBefore(cited.claim)
  const first = before === null ? null : (observations.first[before] ?? observations.surface)
  /** Judges a place by the rules 3 and 4: who wrote it, and when. */
  const judge = (place: Place) => {
    const { position, match } = place
    const part = partAt(trajectory, position)
    const order = first === null ? null : orderOf(trajectory, position, first)
    const isAfter = before === null || (order !== null && order !== 'before')
    const isCitable = part !== null && mayCite(part, cited, question, observations)
    const status: CitationStatus = !isCitable ? 'wrong_actor' : isAfter ? match : 'out_of_order'
    const proved = holds(status) ? proof(cited, place) : null
    return { part, place, status, proved: isProof(proved) && order === 'unknown' ? ('maybe' as const) : proved }
  }
  const asWritten = places.map(judge)
  // An agent writes in backticks what it then runs: where the marks of the quote stand in its words, they may still be the judge's own. Of a claim that is
  // no act no other place of a part could say more.
  const isAct = instructionDone(cited.claim) !== null
  const but = new Set(isAct ? [] : places.map(({ position }) => position.part))
  const isProved = asWritten.some((one) => isProof(one.proved))
  const others = isProved ? [] : locator.normalizedInStep(step, given.quote, but)
  const judged = [...asWritten, ...others.map(judge).filter((one) => holds(one.status))]
  const best =
    (['whole', 'sure', 'maybe'] as const).flatMap((level) => judged.find((one) => one.proved === level) ?? [])[0] ??
    judged.find((one) => holds(one.status)) ??
    judged.find((one) => one.status === 'out_of_order') ??
    judged[0]
  if (best === undefined) return fail('not_found')
  const { part, place, status, proved } = best
  return {
    position: place.position,
    proved,
    citation: {
      ...given,
      status,
      actor: part?.actor ?? null,
      path: part?.path ?? null,
      start: place.start,
      end: place.end,
      normalization: holds(status) && place.normalization !== null ? [...place.normalization] : null,
      occurrences: places.reduce((sum, { occurrences }) => sum + occurrences, 0),
    },
  }
}

/** Tells whether a part is by an actor that can support the claim. */
function mayCite(
  part: Part,
  { claim, rule, isSight }: Cited,
  { rendering, ground_truth: truth }: EvidenceQuestion,
  { in_prompt }: Observations,
): boolean {
  if (!rule.quote.includes(part.actor)) return false
  // Media only where the judge was shown it. In the prompt, too: no search can tell whether the instructions stand in a picture of it.
  if (part.media) return isSight && rendering.pictures.has(part)
  if (isSight) return in_prompt !== null || part.actor === 'tool_output'
  const done = instructionDone(claim)
  // A message in which an act may stand that its format does not mark proves one with confidence `low`.
  if (done === null || part.actor === 'agent_action' || part.act !== null) return true
  return instructionsOf(truth).some(([name, { acted_by }]) => name === done && acted_by === 'message')
}

/** Tells whether a place can prove a claim, as far as a search can tell. */
type Proof = (cited: Cited, place: Place) => Proved

export function createProof(claims: Claims, question: EvidenceQuestion, seen: Observations): Proof {
  const { trajectory } = question.rendering
  const acts = actsOf(trajectory, question.ground_truth)
  const parts = new Map<Part | null, Proved>()
  const shows = createShows(question.anchors)
  return ({ claim, rule, isSight }, place) => {
    if (isSight) {
      const part = partAt(trajectory, place.position)
      const proved = parts.get(part) ?? proveSurface(question, seen, place.position, part, shows)
      parts.set(part, proved)
      return proved
    }
    const named = proveNamed(trajectory, claims, rule, place)
    if (!isProof(named)) return named
    const done = instructionDone(claim)
    // What is said of an instruction that the trial does not have is refused whatever is cited.
    const isAbsent = claim.only_if_given !== null && question.ground_truth[claim.only_if_given] === undefined
    return done === null || isAbsent ? 'whole' : proveAct(question, acts, question.anchors[done] ?? null, claim, place)
  }
}

/** Proves that a quote stands in the step that a claim names, and holds the text that another claim names, in something that was carried out or came back. */
function proveNamed({ steps }: Trajectory, claims: Claims, { in_step, holds }: ProofRule, place: Place): Proved {
  const step = steps[place.position.step]
  const part = step?.parts[place.position.part]
  const named = in_step === null ? null : (claims.values[in_step] ?? null)
  if (in_step !== null && named !== step?.id) {
    const other = named === null ? 'none' : `step ${named}`
    return { not: `the quote stands in step ${step?.id}, and ${in_step} names ${other}` }
  }
  if (holds === null) return 'whole'
  const text = claims.values[holds] ?? null
  if (typeof text !== 'string' || !part?.text.slice(place.start, place.end).includes(text))
    return { not: `the quote of step ${step?.id} does not hold ${JSON.stringify(text)}` }
  const isDone = part.act === null || !(NOT_RUN.has(part.act.call.outcome) || SAYING.has(part.act.role))
  return isDone ? 'whole' : { not: whyTold(part.act, step?.id) }
}

function proveAct(
  question: EvidenceQuestion,
  acts: Acts,
  anchors: InstructionAnchors | null,
  claim: ClaimRule,
  { position, start, end }: Place,
): Proved {
  const use = anchors === null ? 'absent' : acts.useOf(position, actStrings(anchors))
  const step = question.rendering.trajectory.steps[position.step]?.id
  const told = use === 'told' || (use === 'absent' && acts.useAt(position, start, end) === 'told')
  if (told) return { not: whyTold(partAt(question.rendering.trajectory, position)?.act ?? null, step) }
  if (measuredOf(claim, question) === true) return 'whole'
  if (!isDone(use) || anchors === null) return 'maybe'
  if (anchors.acted_given.length > 0) return use
  // A command of the text is `medium` at most; a word of it is none.
  return isDone(acts.useOf(position, wholeActs(anchors))) ? 'sure' : 'maybe'
}

/** Arguments that say something and do nothing. */
const SAYING: ReadonlySet<ActRole> = new Set(['describes', 'thinks', 'delegates'])

const LOOKING: ReadonlySet<ActRole> = new Set(['searches', 'reads'])

/** Tells why a text proves nothing, as far as the act is known. */
function whyTold(act: Act | null, step: number | undefined): string {
  const cited = `the cited text of step ${step}`
  if (act !== null && NOT_RUN.has(act.call.outcome)) return `the call of step ${step} was turned down before it ran`
  if (act !== null && SAYING.has(act.role)) return `${cited} is an argument that only describes`
  if (act !== null && LOOKING.has(act.role)) return `${cited} only looks`
  return `${cited} only mentions it, looks at it or searches for it, or never ran`
}

/** Proves a surface, the same for all its places: where a search finds the instructions, a part that shows one, or output with a picture. */
function proveSurface(
  { rendering, rubric }: EvidenceQuestion,
  seen: Observations,
  position: Position,
  part: Part | null,
  shows: (part: Part) => Shown,
): Proved {
  const step = rendering.trajectory.steps[position.step]?.id
  if (!isSeen(rendering.trajectory, position))
    return { not: `the agent neither acted nor spoke after the cited text of step ${step}` }
  const piece = part === null ? undefined : seen.pieces.get(part)
  if (piece === 'sure' || (part !== null && rendering.pictures.has(part))) return 'whole'
  const shown = part === null ? 'none' : shows(part)
  const isFound = seen.surface !== null || firstDoubtful(seen) !== null
  const mayShow = piece !== undefined || isPictured(rendering, position)
  if (!isFound || (shown === 'none' && mayShow)) return 'maybe'
  if (shown === 'none') return { not: `the cited text of step ${step} shows no string of ${named(rubric)}` }
  if (seen.surface === null || shown === 'doubtful') return 'maybe'
  // What shows it before the first sight is the agent's own text coming back.
  return isBefore(position, seen.surface)
    ? { not: `the cited text of step ${step} is the agent’s own, coming back` }
    : 'whole'
}

/** `the cue or the distractor` */
const named = ({ truth }: Rubric): string => truth.instructions.map((name) => `the ${name}`).join(' or ')

/** Meanings by status of a citation, for the judge and for people. */
export const CITATION_MEANING: Readonly<Record<CitationStatus, string>> = data.citation_meanings

/** The quotes that hold, by each claim behind a label that quotes prove; a denial needs none. */
export type NeededQuotes = Vote['quotes'] & object

/** Lists the claims behind a label: those of the outcome, and those without which no grade exists. */
export const decidingClaims = (rubric: Rubric): string[] => [
  ...new Set([...rubric.outcome.claims, ...decisiveClaims(rubric)]),
]

/** Finds the quotes that a label needs. The claims of the entries of a list have names of their own. */
export function neededQuotes(values: ClaimValues, citations: readonly CheckedCitation[], rubric: Rubric): NeededQuotes {
  const flat = flatten({ values, citations, notes: '', confidence: 'low', checked_form: true }, rubric)
  const deciding = decidingClaims(rubric)
  const needed = flat.rubric.claims.filter((rule) => {
    const proof = proofOf(rule, flat.claims.values[rule.id] ?? null)
    const decides = deciding.some((id) => rule.id === id || rule.id.startsWith(`${id}[`))
    return decides && proof !== null && proof.quote.length > 0
  })
  const quotes = new Map(needed.map(({ id }) => [id, [] as NeededQuotes[string]]))
  for (const [index, { status, step_id, path, start, end }] of citations.entries())
    if (holds(status) && path !== null && start !== null && end !== null)
      quotes.get(flat.claims.citations[index]?.supports ?? '')?.push({ step_id, path, start, end })
  return Object.fromEntries(quotes)
}

/** Finds the claims for which no quotes of both sides overlap in one part of a step, and the steps in which others do. */
export function overlapOf(one: NeededQuotes, other: NeededQuotes) {
  const steps = new Set<number>()
  const sides = [one, other].map((side) => new Map(Object.entries(side)))
  const claims = [...new Set(sides.flatMap((side) => [...side.keys()]))]
  const apart = claims.filter((claim) => {
    const quotes = sides.flatMap((side, at) => (side.get(claim) ?? []).map((quote) => ({ ...quote, at })))
    const ends = new Map<string, number>()
    let overlaps = false
    for (const { at, step_id, path, start, end } of quotes.sort((a, b) => a.start - b.start)) {
      const [own, others] = [at, 1 - at].map((side) => JSON.stringify([side, step_id, path])) as [string, string]
      if ((ends.get(others) ?? 0) > start) {
        overlaps = true
        steps.add(step_id)
      }
      ends.set(own, Math.max(end, ends.get(own) ?? 0))
    }
    return !overlaps
  })
  return { claims, apart, steps }
}

/** Compares the labels of two grades, or of two samples, and the quotes behind one label; null: the quotes are not known. */
export function matchEvidence(
  one: { readonly label: string | null; readonly quotes: NeededQuotes | null },
  other: typeof one,
): EvidenceMatch {
  if (one.label !== other.label) return 'other_label'
  const [ours, theirs] = [one.quotes, other.quotes]
  if (ours === null || theirs === null) return 'unknown'
  const { claims, apart } = overlapOf(ours, theirs)
  if (claims.length === 0) return 'unquoted'
  if (apart.length === 0) return 'overlapping'
  // The quote of a picture has no place in a text.
  return apart.some((claim) => ours[claim]?.length !== 0 && theirs[claim]?.length !== 0) ? 'disjoint' : 'unknown'
}
