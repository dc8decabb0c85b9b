import type { GradeFilter } from '../db/grades.ts'
import { SIGNAL_CODES } from '../domain/evidence/contradictions.ts'
import { matchEvidence, overlapOf } from '../domain/evidence/needed-quotes.ts'
import { type ClaimValues, claimWord, newestRubric } from '../domain/rubric/claim-values.ts'
import { claimsOfOutcome, decisiveClaims, differ, outcomeDistance } from '../domain/rubric/outcome.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { count } from '../domain/words.ts'
import type { Disagreement, DisagreementKind } from '../schemas/review.ts'
import type { Signals } from '../schemas/trial.ts'
import { CONFIDENCE_LEVELS, type ConfidenceLevel, type ContradictionCode, type Label } from '../schemas/vocabulary.ts'
import { isOfAgent, type ReviewRow, standingReviewsOf } from './reviews.ts'
import { inTurns, latestOpinions, nameOf, type OpinionRow, type QuestionContext, readQuestions } from './trials.ts'

/** A disagreement of two sides, in the terms of its score. */
export interface Clash {
  /** The number of differing claims, or the distance between ordered outcomes; more than 3 count as 3. */
  readonly distance: number
  /** Confidence of the less certain side: 0 (low, or none reported) to 2 (high). */
  readonly confidence: number
  /** Votes, 0 to 1: the smaller own share behind a side (1 without votes); within one judge 1 − the share of the most common vote. */
  readonly votes: number
  /** Writes the sentence of the clash, which only shown clashes need. */
  readonly say: () => string
}

/** All verdicts on one question under one rubric. */
export interface Verdicts {
  /** Null for a rubric that is not loaded: labels are then only equal or different. */
  readonly rubric: Rubric | null
  /** A requested claim, beside those that decide the outcome. */
  readonly claim: string | null
  /** The latest opinion of each judge and rubric. */
  readonly opinions: readonly OpinionRow[]
  readonly signals: Signals
  /** Standing reviews: the newest of each rater. */
  readonly reviews: readonly ReviewRow[]
}

/** Reads the questions with a grade that fits, each with all verdicts on it. */
export async function* readVerdicts(context: QuestionContext, filter: GradeFilter, claim: string | null = null) {
  const { stores, rubrics } = context
  const questions = await readQuestions(context, filter)
  const reviews = await standingReviewsOf(stores.reviews, questions)
  for await (const [subject, row] of inTurns(questions)) {
    const verdicts: Verdicts = {
      ...{ rubric: newestRubric(rubrics, row.rubric), claim, signals: row.signals },
      opinions: latestOpinions([...row.opinions, ...row.others]),
      reviews: reviews.get(subject) ?? [],
    }
    yield { subject, row, verdicts }
  }
}

/** Finds the clashes of each kind, in a fixed order. */
export const FIND_CLASHES: Readonly<Record<DisagreementKind, (verdicts: Verdicts) => Clash[]>> = {
  human: (verdicts) => {
    const humans = onePerAnswer(verdicts, false)
    const againstJudges = humans.flatMap((human) => judgesOf(verdicts).map((judge) => [human, judge] as const))
    return [...againstJudges, ...pairsOf(humans)].flatMap((pair) => clashOf(pair, verdicts) ?? [])
  },
  judges: (verdicts) => pairsOf(judgesOf(verdicts)).flatMap((pair) => clashOf(pair, verdicts) ?? []),
  signals: ({ opinions, signals, rubric }) => opinions.flatMap((opinion) => againstSignals(opinion, signals, rubric)),
  samples: ({ opinions, rubric }) => opinions.flatMap((opinion) => amongSamples(opinion, rubric)),
  contradiction: ({ opinions }) => opinions.flatMap(contradicted),
  evidence: (verdicts) =>
    [...pairsOf(judgesOf(verdicts)), ...verdicts.opinions.flatMap((opinion) => pairsOf(samplesOf(opinion)))]
      .filter((pair) => clashOf(pair, verdicts) === null)
      .flatMap((pair) => otherEvidence(pair) ?? []),
  unverified: (verdicts) => verdicts.opinions.flatMap((opinion) => unverified(opinion, verdicts)),
}

interface Side extends Pick<Clash, 'confidence' | 'votes'>, Pick<OpinionRow, 'quotes'> {
  readonly name: string
  readonly label: Label
  readonly claims: ClaimValues
}

/** Lists the opinions of judges, and the labels that agents made. */
const judgesOf = (verdicts: Verdicts): Side[] => {
  const judges = verdicts.opinions.flatMap((opinion) => {
    const { label, confidence, vote_share, quotes } = opinion
    const said = { claims: statedClaims(opinion, verdicts.rubric), confidence: sureness(confidence), quotes }
    return label === null ? [] : [{ name: nameOf(opinion), label, votes: vote_share ?? 1, ...said }]
  })
  return [...judges, ...onePerAnswer(verdicts, true)]
}

const samplesOf = (opinion: OpinionRow): Side[] =>
  opinion.votes.flatMap(({ label, confidence, quotes }, sample) => {
    const name = `sample ${sample} of ${nameOf(opinion)}`
    return label === null ? [] : [{ name, label, confidence: sureness(confidence), votes: 1, claims: {}, quotes }]
  })

/** Ranks a reported confidence; a side without a level counts as `low`. */
const sureness = (level: ConfidenceLevel | null): number => (level === null ? 0 : CONFIDENCE_LEVELS.indexOf(level))

/** Merges the stated claims with the claims that the label implies, which take precedence. */
const statedClaims = (
  { label, claims }: { readonly label: Label | null; readonly claims: ClaimValues | null },
  rubric: Rubric | null,
): ClaimValues => ({ ...claims, ...(rubric !== null && label !== null && claimsOfOutcome(rubric, label)) })

/** Keeps the newest reviewer of each answer, so that a thousand reviewers make no million pairs. `byAgents`: of agents, else of all others. */
function onePerAnswer({ reviews, rubric, claim }: Verdicts, byAgents: boolean): Side[] {
  const sides = new Map<string, Side>()
  const confidence = sureness(byAgents ? null : 'high')
  for (const review of reviews.filter((one) => isOfAgent(one) === byAgents)) {
    const { rater: name, label } = review
    const claims = statedClaims(review, rubric)
    const answer = JSON.stringify([label, watched(rubric, claim).map((id) => claims[id])])
    if (label !== null && !sides.has(answer))
      sides.set(answer, { name, label, confidence, votes: 1, claims, quotes: null })
  }
  return [...sides.values()].slice(0, MOST_ANSWERS)
}

/** Bounds the answers, because claims of steps and texts have unlimited values. */
const MOST_ANSWERS = 20

const watched = (rubric: Rubric | null, claim: string | null): readonly string[] => [
  ...new Set([...(rubric === null ? [] : decisiveClaims(rubric)), ...(claim === null ? [] : [claim])]),
]

export const pairsOf = <Of>(all: readonly Of[]): (readonly [Of, Of])[] =>
  all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const))

/** Finds the clash of two sides: other labels, or one label with other values of watched claims; null without one. */
function clashOf([one, other]: readonly [Side, Side], { rubric, claim }: Verdicts): Clash | null {
  if (one.label !== other.label) {
    const distance = outcomeDistance(rubric, one.label, other.label)
    const isOrdered = rubric !== null && (rubric.outcome.kind === 'sum' || rubric.outcome.scale === 'ordinal')
    const apart = isOrdered ? distance : count(distance, 'claim')
    return clashBetween([one, other], distance, () => {
      return `${one.name} says ${one.label}, ${other.name} says ${other.label}: ${apart} apart.`
    })
  }
  const differing = watched(rubric, claim).filter((id) => differ(one.claims[id], other.claims[id]))
  if (differing.length === 0) return null
  const tell = ({ name, claims }: Side) =>
    `${name} says ${differing.map((id) => `${claimWord(id)}=${tellValue(claims[id])}`).join(', ')}`
  const say = () => `Both say ${one.label}, but ${tell(one)} and ${tell(other)}.`
  return clashBetween([one, other], differing.length, say)
}

const clashBetween = ([one, other]: readonly [Side, Side], distance: number, say: () => string): Clash => ({
  ...{ distance, say, confidence: Math.min(one.confidence, other.confidence), votes: Math.min(one.votes, other.votes) },
})

/** Makes a clash within one opinion. */
const clashIn = (opinion: OpinionRow, distance: number, say: (name: string) => string): Clash => ({
  ...{ distance, confidence: sureness(opinion.confidence), votes: opinion.vote_share ?? 1 },
  say: () => say(nameOf(opinion)),
})

const LONGEST_VALUE = 60
function tellValue(value: ClaimValues[string] | undefined): string {
  if (Array.isArray(value)) return count(value.length, 'entry', 'entries')
  const text = String(value)
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`.toWellFormed()
}

/** Lists the claims in which two verdicts differ, with the value of each. */
export function differingClaims({ opinions, reviews, rubric }: Verdicts): Disagreement['claims'] {
  const judges = opinions.filter(({ status }) => status !== 'failed')
  const sides = [
    ...judges.map((opinion) => ({ by: nameOf(opinion), claims: statedClaims(opinion, rubric) })),
    ...reviews.map((review) => ({
      by: `${review.provenance ?? 'human'}:${review.rater}`,
      claims: statedClaims(review, rubric),
    })),
  ]
  const ids = [...(rubric?.claims ?? []).map(({ id }) => id), ...sides.flatMap(({ claims }) => Object.keys(claims))]
  const differing = [...new Set(ids)].flatMap((claim) => {
    const said = sides.flatMap(({ by, claims }) => {
      const value = claims[claim]
      return value === undefined ? [] : [{ by, value }]
    })
    const [first, ...more] = said.filter(({ value }) => value !== null)
    return more.some(({ value }) => differ(first?.value, value)) ? [{ claim, said }] : []
  })
  return differing as Disagreement['claims']
}

function amongSamples(opinion: OpinionRow, rubric: Rubric | null): Clash[] {
  const { votes } = opinion
  const labelled = votes.filter(({ label }) => label !== null)
  const tally = [...Map.groupBy(labelled, ({ label }) => label ?? '')]
  if (tally.length < 2 && !opinion.contradictions.includes('no_majority')) return []
  // The highest confidence among the votes for each label.
  const levels = tally.map(([, own]) => Math.max(...own.map(({ confidence }) => sureness(confidence))))
  const distances = pairsOf(tally).map(([[one], [other]]) => outcomeDistance(rubric, one, other))
  const most = Math.max(0, ...tally.map(([, own]) => own.length))
  const say = () => {
    const rest = votes.length - labelled.length
    const parts = tally.map(([label, own]) => `${label} ${own.length}`)
    const all = [...parts, ...(rest > 0 ? [`without a label ${rest}`] : [])].join(', ')
    return `${count(votes.length, 'sample')} of ${nameOf(opinion)} ${votes.length === 1 ? 'differs' : 'differ'}: ${all}.`
  }
  return [
    {
      distance: Math.max(0, ...distances),
      confidence: levels.length < 2 ? 0 : Math.min(...levels),
      votes: most === 0 ? 0 : 1 - most / labelled.length,
      say,
    },
  ]
}

/** Contradictions that have a kind of their own. */
const ELSEWHERE: readonly ContradictionCode[] = [...Object.values(SIGNAL_CODES), 'no_majority']

function contradicted(opinion: OpinionRow): Clash[] {
  const codes = opinion.contradictions.filter((code) => !ELSEWHERE.includes(code))
  if (codes.length === 0) return []
  return [clashIn(opinion, codes.length, (name) => `What ${name} claims is contradicted: ${codes.join(', ')}.`)]
}

/** Makes the clash of two answers with one label and quotes that do not overlap. */
function otherEvidence([one, other]: readonly [Side, Side]): Clash | null {
  if (matchEvidence(one, other) !== 'disjoint') return null
  const { apart } = overlapOf(one.quotes ?? {}, other.quotes ?? {})
  const claims = apart.map(claimWord).join(', ')
  return clashBetween([one, other], apart.length, () => {
    return `${one.name} and ${other.name} say ${one.label}, but their quotes do not overlap: ${claims}.`
  })
}

function unverified(opinion: OpinionRow, { opinions, reviews, rubric }: Verdicts): Clash[] {
  const { status, claimed_label } = opinion
  if (status !== 'unverified') return []
  const others = new Set([...opinions, ...reviews].flatMap(({ label }) => label ?? []))
  const distances =
    claimed_label === null ? [] : [...others].map((label) => outcomeDistance(rubric, claimed_label, label))
  const { claims, contradictions } = opinion
  const decide = rubric === null ? Object.keys(claims ?? {}) : decisiveClaims(rubric)
  const unclear = decide.filter((id) => claims?.[id] === null)
  const isSplit = contradictions.includes('no_majority')
  const why =
    isSplit || unclear.length === 0
      ? `claims ${claimed_label ?? 'nothing'}, but its ${isSplit ? 'samples have no majority' : 'evidence does not hold'}`
      : `could not tell: ${unclear.map(claimWord).join(', ')} unclear`
  return [clashIn(opinion, Math.max(0, ...distances), (name) => `${name} ${why}.`)]
}

/** Compares claims, unverified too, with the harness's measurements, as the grade records it and anew: the grade may be older than the rule. */
function againstSignals(opinion: OpinionRow, signals: Signals, rubric: Rubric | null): Clash[] {
  const parts = (rubric?.claims ?? []).flatMap(({ id, measured_by }) => {
    if (measured_by === null) return []
    const claimed = opinion.claims?.[id] ?? null
    const measured = signals[measured_by]
    const code = SIGNAL_CODES[measured_by]
    if (differ(claimed, measured))
      return [`claims ${claimWord(id)}=${claimed} where the harness measured ${measured_by}=${measured}`]
    return opinion.contradictions.includes(code) ? [`records ${code}`] : []
  })
  if (parts.length === 0) return []
  return [clashIn(opinion, parts.length, (name) => `${name} ${parts.join(' and ')}.`)]
}
