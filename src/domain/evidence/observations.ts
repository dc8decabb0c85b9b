import type { CheckedCitation, Contradiction } from '../../schemas/grade.ts'
import type { GroundTruth } from '../../schemas/trial.ts'
import type { Anchors } from '../anchors/anchors.ts'
import type { Place } from '../quotes/locate.ts'
import { onceForBoth } from '../result.ts'
import { type Claims, claimedValue } from '../rubric/claims.ts'
import type { ClaimRule, ProofRule, Rubric } from '../rubric/rubric.ts'
import { readSights } from '../sights/sights.ts'
import { NO_PICTURES, type Rendering, type ShownPictures } from '../trajectory/rendering.ts'
import { type Hit, isBefore, isSeen, type Part, type Position, type Trajectory } from '../trajectory/trajectory.ts'

export interface EvidenceQuestion {
  readonly rendering: Rendering
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly denied_acts: DeniedActs
}

export interface UnmetClaim {
  readonly claim: string
  readonly reason: string
  /** The step that refutes the claim, where one does. */
  readonly step_id: number | null
}

/** Meanings of a denied act whose given anchor stands in an action: `flag`, a contradiction (rule 7); `refuse`, an unmet claim (rule 5). */
export const DENIED_ACTS = ['flag', 'refuse'] as const

export type DeniedActs = (typeof DENIED_ACTS)[number]

/** Proof of a claim at a place, by the confidence that it allows: `whole` `high`, `sure` `medium`, `maybe` `low`; else why it proves nothing. */
export type Proved = 'whole' | 'sure' | 'maybe' | { readonly not: string }

export const isProof = (proved: Proved | null | undefined): boolean => typeof proved === 'string'

/** The claim that a citation is to prove. */
export interface Cited {
  readonly claim: ClaimRule
  readonly rule: ProofRule
  /** Whether the citation is to show a sight of the instructions. */
  readonly isSight: boolean
}

/** A citation with what came of it. */
export interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
  /** The proof of the claim at the place of the citation; null: the citation itself does not hold. */
  readonly proved: Proved | null
}

/** Returns the measurement of the harness for a claim; undefined: none. */
export const measuredOf = ({ measured_by: signal }: ClaimRule, { ground_truth }: EvidenceQuestion) =>
  signal === null ? undefined : ground_truth.signals?.[signal]

/** Makes a contradiction of a claim. */
export const doubt = (
  code: Contradiction['code'],
  claim: string | null,
  detail: string,
  step_id: number | null = null,
): Contradiction => ({ code, claim, detail, step_id })

/** When the trajectory first shows each instruction, by plain search; null: a search finds it nowhere for certain. */
export type Observations = ReturnType<typeof observe>

export const partAt = (trajectory: Trajectory, position: Position): Part | null =>
  trajectory.steps[position.step]?.parts[position.part] ?? null

/** The first doubtful sight of any instruction. */
export const firstDoubtful = ({ doubtful }: Observations): Hit | null => earliest(Object.values(doubtful))

/** Observes a run once for the anchors of its ground truth: its judge asks, and every check of an answer. */
export const firstObservations = onceForBoth(observe)

/** Linear: every part is read once for all anchors. */
function observe(trajectory: Trajectory, anchors: Anchors) {
  // Output behind the agent's last reply was read by no model, and shows the agent nothing.
  const isRead = (at: Position) => isSeen(trajectory, at)
  const sights = readSights(trajectory, anchors, isRead)
  const given = sights.filter((one) => one.needle.kind !== 'derived')
  const proofs = sights.flatMap((one) => one.pieces?.proofs ?? [])
  const firsts = Object.keys(anchors).map((which) => {
    const own = given.filter(({ needle }) => needle.which === which)
    return [which, earliest(own.flatMap(({ certain, prompt }) => [certain, prompt]))] as const
  })
  const doubts = firsts.map(([which, sure]) => {
    const hit = earliest(sights.map((one) => (one.needle.which === which ? one.doubtful : null)))
    return [which, hit !== null && (sure === null || isBefore(hit.position, sure.position)) ? hit : null] as const
  })
  return {
    first: Object.fromEntries(firsts.map(([which, hit]) => [which, hit?.position ?? null])),
    surface: earliest(firsts.map(([, hit]) => hit))?.position ?? null,
    /** The first given anchor, or whole text, in a user or system part: the surface is the prompt itself. */
    in_prompt: earliest(given.map((one) => one.prompt)),
    /** The first given anchor, or whole text, in tool output: it refutes a claim of absence. */
    given_in_output: earliest(given.map((one) => one.certain)),
    /** The first place at which the agent writes an instruction down word for word: the agent has read it, whether a search finds it or not. */
    written: earliest(sights.map((one) => one.written)),
    /** The first doubtful sight in tool output where no certain one comes before it: it dates nothing and caps the confidence at `low`. */
    doubtful: Object.fromEntries(doubts),
    /** The certainty of each output that shows a piece of an instruction which is seen in pieces: what is sure of one of both instructions stays. */
    pieces: new Map([
      ...proofs.filter(([, proof]) => proof === 'unsure'),
      ...proofs.filter(([, proof]) => proof === 'sure'),
    ]),
    /** The first picture or sound in tool output, unreadable for a search; with shown pictures, the first not shown, else the first cited. */
    media: firstMedia(trajectory, NO_PICTURES, isRead),
  }
}

export const earliest = (hits: readonly (Hit | null)[]): Hit | null =>
  hits.reduce(
    (best, hit) => (best === null || (hit !== null && isBefore(hit.position, best.position)) ? hit : best),
    null,
  )

/** The first picture or sound in tool output at a place that counts, but for those that the judge was shown. */
export function firstMedia(
  { steps }: Trajectory,
  shown: ShownPictures = NO_PICTURES,
  isRead: (at: Position) => boolean = () => true,
): Position | null {
  for (const [step, { parts }] of steps.entries()) {
    const part = parts.findIndex((one) => isOutputMedia(one) && !shown.has(one))
    if (part !== -1 && isRead({ step, part })) return { step, part }
  }
  return null
}

const isOutputMedia = ({ media, actor }: Part): boolean => media && actor === 'tool_output'

// A picture that the judge was shown proves a sight by its mark, at `low` unless the harness measured the sight too.

/** `[image 3 · image/png · <nonce>]`, whole or cut short at a dot, with or without its brackets. */
const MARK = /^[\s`"'[]*image ([1-9]\d?)(?: · image\/[a-z]{3,4}(?: · ([0-9a-f]{16}))?)?[\s`"'\]]*$/

const MARKED = { match: 'verified', normalization: null } as const
const NAMED = { match: 'normalized', normalization: ['ellipsis'] } as const

/** Finds the picture of a step that a quote names by its mark; null: the quote names no picture of the step. */
export function findCitedPicture(
  { trajectory, pictures, nonce }: Rendering,
  step: number,
  quote: string,
): Place | null {
  const [, number, mark] = pictures.size === 0 || quote.length > 100 ? [] : (MARK.exec(quote) ?? [])
  if (number === undefined || (mark !== undefined && mark !== nonce)) return null
  const parts = trajectory.steps[step]?.parts ?? []
  const showing = parts.filter((part) => pictures.get(part)?.number === Number(number))
  const [first] = showing
  if (first === undefined) return null
  return {
    position: { step, part: parts.indexOf(first) },
    ...(mark === undefined ? NAMED : MARKED),
    start: 0,
    end: first.text.length,
    occurrences: showing.length,
  }
}

/** A picture that was shown proves by itself; in a step that holds one that was not, it cannot be told what proves. */
export function isPictured({ trajectory, pictures }: Rendering, at: Position): boolean {
  const parts = trajectory.steps[at.step]?.parts ?? []
  const cited = parts[at.part]
  if (cited !== undefined && pictures.has(cited)) return true
  return parts.some((part) => isOutputMedia(part) && !pictures.has(part))
}

/** Tells whether the claims rest on pictures alone: an agreeing measurement settles the sight, but not its time where a search finds it later. */
export function restsOnPictures(
  sight: ClaimRule,
  { claims, question }: { claims: Claims; question: EvidenceQuestion },
  seen: Observations,
  cited: Position | null,
): boolean {
  const observed = claimedValue(claims, sight)
  const isMeasured = observed !== null && measuredOf(sight, question) === observed
  if (!observed) return !isMeasured && [...question.rendering.pictures.keys()].some(isOutputMedia)
  return cited !== null && (seen.surface === null ? !isMeasured : isBefore(cited, seen.surface))
}
