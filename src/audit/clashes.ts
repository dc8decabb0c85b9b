import type { GradeFilter } from '../db/grades.ts'
import { matchEvidence, overlapOf } from '../domain/evidence/citations.ts'
import { SIGNAL_CODES } from '../domain/evidence/contradictions.ts'
import {
  type ClaimValues,
  claimsOfOutcome,
  claimWord,
  decisiveClaims,
  differ,
  outcomeDistance,
  rubricOf,
} from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { count } from '../domain/words.ts'
import type { EvidenceAgreement } from '../schemas/agreement.ts'
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
  /** The clash in a sentence. */
  readonly why: string
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
      ...{ rubric: rubricOf(rubrics, row.rubric), claim, signals: row.signals },
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
    return clashesOf([...againstJudges, ...pairsOf(humans)], verdicts)
  },
  judges: (verdicts) => clashesOf(pairsOf(judgesOf(verdicts)), verdicts),
  signals: (verdicts) => verdicts.opinions.flatMap((opinion) => againstSignals(opinion, verdicts) ?? []),
  samples: ({ opinions, rubric }) => opinions.flatMap((opinion) => amongSamples(opinion, rubric) ?? []),
  contradiction: ({ opinions }) => opinions.flatMap((opinion) => contradicted(opinion) ?? []),
  evidence: (verdicts) =>
    [...pairsOf(judgesOf(verdicts)), ...verdicts.opinions.flatMap((opinion) => pairsOf(samplesOf(opinion)))]
      .filter((pair) => clashesOf([pair], verdicts).length === 0)
      .flatMap((pair) => otherEvidence(pair) ?? []),
  unverified: (verdicts) => verdicts.opinions.flatMap((opinion) => unverified(opinion, verdicts) ?? []),
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
    const stated = { claims: statedClaims(opinion, verdicts.rubric), confidence: sureness(confidence), quotes }
    return label === null ? [] : [{ name: nameOf(opinion), label, votes: vote_share ?? 1, ...stated }]
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
const statedClaims = ({ label, claims }: Pick<OpinionRow, 'label' | 'claims'>, rubric: Rubric | null): ClaimValues => ({
  ...claims,
  ...(rubric !== null && label !== null && claimsOfOutcome(rubric, label)),
})

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

type Pair = readonly [Side, Side]

/** Finds the clashes of pairs of sides: other labels, or one label with other values of watched claims. */
function clashesOf(pairs: readonly Pair[], { rubric, claim }: Verdicts): Clash[] {
  const ids = watched(rubric, claim)
  const isOrdered = rubric !== null && (rubric.outcome.kind === 'sum' || rubric.outcome.scale === 'ordinal')
  return pairs.flatMap((pair) => {
    const [one, other] = pair
    if (one.label !== other.label) {
      const distance = outcomeDistance(rubric, one.label, other.label)
      const apart = `${isOrdered ? distance : count(distance, 'deciding claim')} apart`
      return clashBetween(pair, distance, `${one.name} says ${one.label}, ${other.name} says ${other.label}: ${apart}.`)
    }
    const between = ids.filter((id) => differ(one.claims[id], other.claims[id]))
    const [tellOne, tellOther] = pair.map(({ name, claims }) => {
      return `${name} says ${between.map((id) => `${claimWord(id)}=${tellValue(claims[id])}`).join(', ')}`
    })
    const why = `Both say ${one.label}, but ${tellOne} and ${tellOther}.`
    return between.length === 0 ? [] : clashBetween(pair, between.length, why)
  })
}

const clashBetween = ([one, other]: Pair, distance: number, why: string): Clash => ({
  ...{ distance, why, confidence: Math.min(one.confidence, other.confidence), votes: Math.min(one.votes, other.votes) },
})

const clashIn = ({ confidence, vote_share }: OpinionRow, distance: number, why: string): Clash => ({
  ...{ distance, confidence: sureness(confidence), votes: vote_share ?? 1, why },
})

const LONGEST_VALUE = 60
function tellValue(value: ClaimValues[string] | undefined): string {
  if (Array.isArray(value)) return count(value.length, 'entry', 'entries')
  const text = String(value)
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}…`.toWellFormed()
}

/** Lists the claims in which two verdicts differ, with the value of each. */
export function differingClaims({ opinions, reviews, rubric }: Verdicts): Disagreement['claims'] {
  const judges = opinions.filter(({ status }) => status !== 'failed').map((one) => ({ ...one, by: nameOf(one) }))
  const raters = reviews.map((review) => ({ ...review, by: `${review.provenance ?? 'human'}:${review.rater}` }))
  const sides = [...judges, ...raters].map((one) => ({ by: one.by, claims: statedClaims(one, rubric) }))
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

function amongSamples(opinion: OpinionRow, rubric: Rubric | null): Clash | null {
  const { votes } = opinion
  const labelled = votes.filter(({ label }) => label !== null)
  const tally = [...Map.groupBy(labelled, ({ label }) => label ?? '')]
  if (tally.length < 2 && !opinion.contradictions.includes('no_majority')) return null
  // The highest confidence among the votes for each label.
  const levels = tally.map(([, own]) => Math.max(...own.map(({ confidence }) => sureness(confidence))))
  const distances = pairsOf(tally).map(([[one], [other]]) => outcomeDistance(rubric, one, other))
  const most = Math.max(0, ...tally.map(([, own]) => own.length))
  const rest = votes.length - labelled.length
  const parts = tally.map(([label, own]) => `${label} ${own.length}`)
  if (rest > 0) parts.push(`without a label ${rest}`)
  const samples = `${count(votes.length, 'sample')} of ${nameOf(opinion)} ${votes.length === 1 ? 'differs' : 'differ'}`
  return {
    distance: Math.max(0, ...distances),
    confidence: levels.length < 2 ? 0 : Math.min(...levels),
    votes: most === 0 ? 0 : 1 - most / labelled.length,
    why: `${samples}: ${parts.join(', ')}.`,
  }
}

/** Contradictions that have a kind of their own. */
const ELSEWHERE: readonly ContradictionCode[] = [...Object.values(SIGNAL_CODES), 'no_majority']

function contradicted(opinion: OpinionRow): Clash | null {
  const codes = opinion.contradictions.filter((code) => !ELSEWHERE.includes(code))
  const why = `What ${nameOf(opinion)} claims is contradicted: ${codes.join(', ')}.`
  return codes.length === 0 ? null : clashIn(opinion, codes.length, why)
}

/** Makes the clash of two answers with one label and quotes that do not overlap. */
function otherEvidence([one, other]: Pair): Clash | null {
  if (matchEvidence(one, other) !== 'disjoint') return null
  const { apart } = overlapOf(one.quotes ?? {}, other.quotes ?? {})
  const why = `${one.name} and ${other.name} say ${one.label}, but their quotes do not overlap: ${apart.map(claimWord).join(', ')}.`
  return clashBetween([one, other], apart.length, why)
}

function unverified(opinion: OpinionRow, { opinions, reviews, rubric }: Verdicts): Clash | null {
  const { status, claimed_label } = opinion
  if (status !== 'unverified') return null
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
  return clashIn(opinion, Math.max(0, ...distances), `${nameOf(opinion)} ${why}.`)
}

/** Compares claims, unverified too, with the harness's measurements, as the grade records it and anew: the grade may be older than the rule. */
function againstSignals(opinion: OpinionRow, { signals, rubric }: Verdicts): Clash | null {
  const parts = (rubric?.claims ?? []).flatMap(({ id, measured_by }) => {
    if (measured_by === null) return []
    const claimed = opinion.claims?.[id] ?? null
    const measured = signals[measured_by]
    const code = SIGNAL_CODES[measured_by]
    if (differ(claimed, measured))
      return [`claims ${claimWord(id)}=${claimed} where the harness measured ${measured_by}=${measured}`]
    return opinion.contradictions.includes(code) ? [`records ${code}`] : []
  })
  return parts.length === 0 ? null : clashIn(opinion, parts.length, `${nameOf(opinion)} ${parts.join(' and ')}.`)
}

type Labelled = Pick<OpinionRow, 'label' | 'quotes'>
/** The answer of a judge to one question, with those of its samples. */
export type Judged = Labelled & { readonly rater: string; readonly votes: readonly Labelled[] }

/** Makes a tally of the agreement of judges on labels and quotes. */
export function tallyEvidence() {
  const tally = new Map<string, EvidenceAgreement[number]>()
  const add = (raters: [string, string], one: Labelled, other: Labelled) => {
    if (one.label === null || other.label === null) return
    const key = JSON.stringify(raters)
    const none = { overlapping: 0, disjoint: 0, unquoted: 0, other_label: 0, unknown: 0 }
    const pair = tally.get(key) ?? { raters, ...none }
    pair[matchEvidence(one, other)]++
    tally.set(key, pair)
  }
  return {
    /** Counts the pairs of answers to one question: of each two judges, and of the samples of each judge. */
    count(judged: readonly Judged[]) {
      for (const [one, other] of pairsOf(judged)) add([one.rater, other.rater], one, other)
      for (const { rater, votes } of judged) for (const [one, other] of pairsOf(votes)) add([rater, rater], one, other)
    },
    list: (): EvidenceAgreement => [...tally.values()],
  }
}
