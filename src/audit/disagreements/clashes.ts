import { count } from '../../domain/count.ts'
import { labelDistance } from '../../domain/rubric/label-claims.ts'
import type { DisagreementKind } from '../../schemas/audit/disagreement.ts'
import type { Signals } from '../../schemas/ground-truth.ts'
import {
  CONFIDENCE_LEVELS,
  type ConfidenceLevel,
  type ContradictionCode,
  type Label,
} from '../../schemas/vocabulary.ts'
import type { FoundClash } from './found-clash.ts'
import { againstSignals } from './signal-clashes.ts'
import type { OpinionRow, VoteRow } from './standing-opinions.ts'

/** Everything that was said of one question. */
export interface Said {
  /** The latest of each judge and rubric. */
  readonly opinions: readonly OpinionRow[]
  readonly signals: Signals
  /** Standing ones: the newest of each rater. */
  readonly reviews: readonly ReviewRow[]
}

export interface ReviewRow {
  readonly id: string
  readonly rater: string
  readonly label: Label | null
  readonly blind: boolean
}

type FindClashes = (said: Said) => FoundClash[]

/** Where not all agree, by kind; each in a fixed order. */
export const FIND_CLASHES: Readonly<Record<DisagreementKind, FindClashes>> = {
  human: ({ opinions, reviews }) => {
    const labelled = onePerLabel(reviews)
    const againstJudges = labelled.flatMap((human) =>
      opinions.filter(hasLabel).map((judge) => [human, sideOf(judge)] as const),
    )
    return [...againstJudges, ...pairsOf(labelled)].flatMap(clashOf)
  },
  judges: ({ opinions }) => pairsOf(opinions.filter(hasLabel).map(sideOf)).flatMap(clashOf),
  signals: ({ opinions, signals }) => opinions.flatMap((opinion) => againstSignals(opinion, signals)),
  samples: ({ opinions }) => opinions.flatMap(amongSamples),
  contradiction: ({ opinions }) => opinions.flatMap(contradicted),
  unverified: (said) => said.opinions.flatMap((opinion) => unverified(opinion, said)),
}

interface Side {
  readonly name: string
  readonly label: Label
  readonly confidence: ConfidenceLevel | null
  readonly votes: number
}

type Labelled<Of extends { readonly label: Label | null }> = Of & { readonly label: Label }
const hasLabel = <Of extends { readonly label: Label | null }>(one: Of): one is Labelled<Of> => one.label !== null

/** As raters are called in `POST /v1/agreement`. */
export const nameOf = ({ judge, rubric }: Pick<OpinionRow, 'judge' | 'rubric'>): string => `${judge}@${rubric}`

const sideOf = (opinion: Labelled<OpinionRow>): Side => ({
  name: nameOf(opinion),
  label: opinion.label,
  confidence: opinion.confidence,
  votes: opinion.vote_share ?? 1,
})

/** The newest reviewer of each label: a thousand reviewers make no million pairs. */
function onePerLabel(reviews: readonly ReviewRow[]): Side[] {
  const sides = new Map<Label, Side>()
  for (const { rater, label } of reviews)
    if (label !== null && !sides.has(label)) sides.set(label, { name: rater, label, confidence: 'high', votes: 1 })
  return [...sides.values()]
}

const pairsOf = <Of>(all: readonly Of[]): (readonly [Of, Of])[] =>
  all.flatMap((one, index) => all.slice(index + 1).map((other) => [one, other] as const))

function clashOf([one, other]: readonly [Side, Side]): FoundClash[] {
  if (one.label === other.label) return []
  const distance = labelDistance(one.label, other.label)
  const apart = count(distance, 'claim')
  return [
    {
      distance,
      confidence: lessSure(one.confidence, other.confidence),
      votes: Math.min(one.votes, other.votes),
      say: () => `${one.name} says ${one.label}, ${other.name} says ${other.label}: ${apart} apart.`,
    },
  ]
}

const rank = (level: ConfidenceLevel | null): number => (level === null ? -1 : CONFIDENCE_LEVELS.indexOf(level))
const lessSure = (one: ConfidenceLevel | null, other: ConfidenceLevel | null): ConfidenceLevel | null =>
  rank(one) <= rank(other) ? one : other
const moreSure = (one: ConfidenceLevel | null, other: ConfidenceLevel | null): ConfidenceLevel | null =>
  rank(one) >= rank(other) ? one : other

function amongSamples(opinion: OpinionRow): FoundClash[] {
  const tally = tallyVotes(opinion.votes)
  if (tally.size < 2 && !opinion.contradictions.includes('no_majority')) return []
  const counts = [...tally.values()].map(({ n }) => n)
  const all = counts.reduce((sum, n) => sum + n, 0)
  const levels = [...tally.values()].map(({ confidence }) => confidence)
  return [
    {
      distance: Math.max(0, ...pairsOf([...tally.keys()]).map(([one, other]) => labelDistance(one, other))),
      confidence: levels.length < 2 ? null : levels.reduce(lessSure),
      votes: all === 0 ? 0 : 1 - Math.max(...counts) / all,
      say: () => {
        const parts = [...tally].map(([label, { n }]) => `${label} ${n}`)
        const rest = opinion.votes.length - all
        if (rest > 0) parts.push(`without a label ${rest}`)
        return `${count(opinion.votes.length, 'sample')} of ${nameOf(opinion)} ${opinion.votes.length === 1 ? 'differs' : 'differ'}: ${parts.join(', ')}.`
      },
    },
  ]
}

/** How often each label was voted for, and the surest vote for it. */
function tallyVotes(votes: readonly VoteRow[]): Map<Label, { n: number; confidence: ConfidenceLevel | null }> {
  const tally = new Map<Label, { n: number; confidence: ConfidenceLevel | null }>()
  for (const { label, confidence } of votes) {
    if (label === null) continue
    const known = tally.get(label)
    tally.set(label, {
      n: (known?.n ?? 0) + 1,
      confidence: known ? moreSure(known.confidence, confidence) : confidence,
    })
  }
  return tally
}

/** These have kinds of their own. */
const ELSEWHERE: readonly ContradictionCode[] = ['observed_against_signal', 'distractor_against_signal', 'no_majority']

function contradicted(opinion: OpinionRow): FoundClash[] {
  const codes = opinion.contradictions.filter((code) => !ELSEWHERE.includes(code))
  if (codes.length === 0) return []
  const say = () => `What ${nameOf(opinion)} claims is contradicted: ${codes.join(', ')}.`
  return [{ distance: codes.length, confidence: opinion.confidence, votes: opinion.vote_share ?? 1, say }]
}

function unverified(opinion: OpinionRow, { opinions, reviews }: Said): FoundClash[] {
  const { status, claimed_label } = opinion
  if (status !== 'unverified') return []
  const others = new Set([...opinions, ...reviews].flatMap(({ label }) => (label === null ? [] : [label])))
  const distances = claimed_label === null ? [] : [...others].map((label) => labelDistance(claimed_label, label))
  const say = () => `${nameOf(opinion)} ${whyUnverified(opinion)}.`
  return [{ distance: Math.max(0, ...distances), confidence: opinion.confidence, votes: opinion.vote_share ?? 1, say }]
}

function whyUnverified({ contradictions, claimed_label, observed, cue_acted, distractor_acted }: OpinionRow): string {
  const unclear = Object.entries({ observed, cue_acted, distractor_acted }).filter(([, said]) => said === null)
  if (contradictions.includes('no_majority'))
    return `claims ${claimed_label ?? 'nothing'}, but its samples have no majority`
  if (unclear.length === 0) return `claims ${claimed_label ?? 'nothing'}, but its evidence does not hold`
  return `could not tell: ${unclear.map(([claim]) => claim).join(', ')} unclear`
}
