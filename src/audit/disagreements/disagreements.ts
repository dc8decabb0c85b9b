import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchStores } from '../../batches/follow.ts'
import { fitsNames, namesOf } from '../../db/fits-names.ts'
import { type GradeFilter, type GradeStore, isOwnBatch, questionOf } from '../../db/grades.ts'
import type { ReviewStore } from '../../db/reviews.ts'
import { claimIdOf, newestRubric, type Rubrics } from '../../domain/rubric/said-claims.ts'
import { DISAGREEMENT_KINDS, type Disagreement, type DisagreementKind } from '../../schemas/audit/disagreement.ts'
import type { GradeSelection } from '../../schemas/regrade.ts'
import type { ConfidenceLevel } from '../../schemas/vocabulary.ts'
import { readBatchQuestions } from '../comparison/batch-questions.ts'
import { type Clash, differingClaims, FIND_CLASHES, type FoundClash, type Said } from './clashes.ts'
import {
  agreedLabel,
  latestOpinions,
  type OpinionRow,
  type QuestionRow,
  type ReviewRow,
  readChosen,
  readStandingQuestions,
  standingReviewsOf,
  subjectOf,
} from './standing-opinions.ts'

/** Questions that are read between two turns of the event loop. */
const TURN = 200

export type QuestionStores = BatchStores & { readonly grades: GradeStore }

/**
 * The questions of what fits every filter, by subject, each with everything that judges said of it by that rubric, whether it fits or not: a judge’s disagreements are
 * with others. Of a batch its own trials are chosen from and shown, else standing grades. Memory grows with the rows alone.
 *
 * @param among of these questions alone.
 */
function readQuestions(
  stores: QuestionStores,
  filter: GradeFilter,
  among?: ReadonlySet<string>,
): Promise<Map<string, QuestionRow>> {
  const { batch } = filter
  return isOwnBatch(batch)
    ? readBatchQuestions(stores, { ...filter, batch }, among)
    : readStandingQuestions(stores.grades, filter, among)
}

/** The questions of the stored grades that fit, with everything that judges said of them. Absent: all questions. */
export async function readSelected(
  stores: QuestionStores,
  selection: GradeSelection = {},
): Promise<Map<string, QuestionRow>> {
  const { ids, ...filter } = selection
  if (ids === undefined) return readQuestions(stores, filter)
  const { batch, ...own } = filter
  const chosen = await chooseByIds(stores.grades, ids, own)
  return batch === undefined ? readChosen(stores.grades, chosen) : readQuestions(stores, { batch }, chosen)
}

/** An id may be of a grade that stands no more; its question is meant all the same. */
async function chooseByIds(grades: GradeStore, ids: readonly string[], filter: GradeFilter): Promise<Set<string>> {
  const chosen = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const grade = await grades.get(id)
    if (grade !== null && fitsNames(namesOf(grade), filter))
      chosen.add(subjectOf(questionOf(grade), grade.receipt.rubric))
    if (index % TURN === TURN - 1) await nextTurn()
  }
  return chosen
}

/** Ten apart, and everything else stays below ten: kinds never mix in the order. */
const KIND_WEIGHTS: Readonly<Record<DisagreementKind, number>> = {
  human: 60,
  judges: 50,
  signals: 40,
  samples: 30,
  contradiction: 20,
  unverified: 10,
}

/** For each claim in which two sides differ: at most three. */
const POINTS_PER_CLAIM = 2
/** Of the side that is less sure: two sides that are both sure tell most. None for a side that reports nothing. */
const CONFIDENCE_POINTS: Readonly<Record<ConfidenceLevel, number>> = { low: 0, medium: 1, high: 2 }

/** The terms of a score; their sum is the score. */
interface ScoreTerms {
  readonly kind: number
  readonly claims: number
  readonly confidence: number
  readonly votes: number
}

export interface Scored {
  /** Thousandths: sums of fractions would not compare alike after a way through text. */
  readonly millis: number
  readonly terms: ScoreTerms
}

/** The terms of one clash of a kind. Ours: there is no literature on it; weights are chosen so that each term only orders what the one before left equal, except that a claim counts as much as two levels of confidence. */
export function scoreClash(kind: DisagreementKind, clash: Clash): Scored {
  const terms: ScoreTerms = {
    kind: KIND_WEIGHTS[kind],
    claims: POINTS_PER_CLAIM * Math.min(3, clash.distance),
    confidence: clash.confidence === null ? 0 : CONFIDENCE_POINTS[clash.confidence],
    votes: Math.round(Math.min(1, Math.max(0, clash.votes)) * 1000) / 1000,
  }
  const millis = Math.round((terms.kind + terms.claims + terms.confidence + terms.votes) * 1000)
  return { millis, terms }
}

/** The most telling of the clashes of one kind; the first of equal ones. Null where there is none. */
export function mostTelling<Of extends Clash>(
  kind: DisagreementKind,
  clashes: readonly Of[],
): { readonly clash: Of; readonly scored: Scored } | null {
  let best: { clash: Of; scored: Scored } | null = null
  for (const clash of clashes) {
    const scored = scoreClash(kind, clash)
    if (best === null || scored.millis > best.scored.millis) best = { clash, scored }
  }
  return best
}

/** `55.9 = 50 for judges + 4 for 2 claims apart + …`: what the score is made of, for people. */
export const explainScore = (kind: DisagreementKind, { millis, terms }: Scored): string =>
  `Score ${millis / 1000} = ${terms.kind} (${kind}) + ${terms.claims} (claims apart) + ${terms.confidence} (confidence) + ${terms.votes} (votes).`

/** The order of the queue: the higher score first; of equal ones the question’s digests decide, which never change. */
export const compareQueued = (
  one: { readonly millis: number; readonly question: string },
  other: { readonly millis: number; readonly question: string },
): number => other.millis - one.millis || (one.question < other.question ? -1 : one.question > other.question ? 1 : 0)

interface DisagreementQuery {
  /** Questions of what fits all of it: trials of the batch that it names, else standing grades. */
  readonly filter: GradeFilter
  readonly kind?: DisagreementKind
  /** Questions in which two differ in this claim, by its id or old name. */
  readonly claim?: string
  readonly settled?: boolean
}

/** A place in the queue: what comes after it is the next page, also where something before it has come or gone. */
export interface QueuePlace {
  readonly millis: number
  /** With its rubric: `subjectOf`. */
  readonly question: string
}

type Stores = QuestionStores & { readonly reviews: ReviewStore; readonly loaded: Rubrics }

interface Queued extends QueuePlace {
  readonly said: Said
  readonly row: QuestionRow
}

/** Questions that are written between two turns of the event loop. */
const WRITTEN_A_TURN = 1000

/** All questions on which not all agree, the most telling first, each written when it is asked for. */
export async function* readDisagreements(
  stores: Stores,
  query: DisagreementQuery,
  after?: QueuePlace,
): AsyncGenerator<{ readonly disagreement: Disagreement; readonly place: QueuePlace }> {
  let written = 0
  for (const queued of await readQueue(stores, query, after)) {
    const { millis, question } = queued
    yield { disagreement: describe(queued), place: { millis, question } }
    if (++written % WRITTEN_A_TURN === 0) await nextTurn()
  }
}

async function readQueue(stores: Stores, query: DisagreementQuery, after?: QueuePlace): Promise<Queued[]> {
  const questions = await readQuestions(stores, query.filter)
  const reviews = await standingReviewsOf(stores.reviews, questions)
  const queue: Queued[] = []
  let turn = 0
  for (const [subject, row] of questions) {
    const queued = enqueue(row, saidOf(row, reviews.get(subject) ?? [], stores.loaded, query), query)
    if (queued !== null && (after === undefined || compareQueued(queued, after) > 0)) queue.push(queued)
    if (++turn % WRITTEN_A_TURN === 0) await nextTurn()
  }
  return queue.sort(compareQueued)
}

const saidOf = (
  row: QuestionRow,
  reviews: readonly ReviewRow[],
  rubrics: Rubrics,
  { claim }: DisagreementQuery,
): Said => ({
  rubric: newestRubric(rubrics, row.rubric),
  claim: claim === undefined ? null : claimIdOf(claim),
  opinions: latestOpinions([...row.opinions, ...row.others]),
  signals: row.signals,
  reviews,
})

function enqueue(row: QuestionRow, said: Said, query: DisagreementQuery): Queued | null {
  const told = tellingClashes(said)
  const [first] = told
  if (first === undefined) return null
  if (query.kind !== undefined && !told.some(({ kind }) => kind === query.kind)) return null
  if (query.settled !== undefined && query.settled !== isSettled(said.reviews)) return null
  if (said.claim !== null && !differingClaims(said).some(({ claim }) => claim === said.claim)) return null
  return { millis: first.scored.millis, question: subjectOf(row.question, row.rubric), said, row }
}

const isSettled = (reviews: readonly ReviewRow[]): boolean => agreedLabel(reviews) !== undefined

/** The most telling clash of each kind that there is. */
function tellingClashes(said: Said): { kind: DisagreementKind; clash: FoundClash; scored: Scored }[] {
  return DISAGREEMENT_KINDS.flatMap((kind) => {
    const most = mostTelling(kind, FIND_CLASHES[kind](said))
    return most === null ? [] : [{ kind, ...most }]
  })
}

function describe({ said, row }: Queued): Disagreement {
  const told = tellingClashes(said)
  const [first] = told
  if (first === undefined) throw new Error('only questions with a clash are in the queue')
  const [trajectory = '', ground_truth = ''] = row.question.split('/')
  return {
    trajectory,
    ground_truth,
    rubric: row.rubric,
    agent: row.agent,
    model: row.model,
    task: row.task,
    kinds: told.map(({ kind }) => kind),
    score: first.scored.millis / 1000,
    terms: { ...first.scored.terms },
    why: [...told.map(({ clash }) => clash.say()), explainScore(first.kind, first.scored)],
    grades: said.opinions.map(toOpinion),
    signals: Object.keys(said.signals).length > 0 ? said.signals : null,
    claims: differingClaims(said),
    reviews: said.reviews.map(({ id, rater, label, blind }) => ({ id, rater, label, blind })),
    settled: isSettled(said.reviews),
  }
}

const toOpinion = (opinion: OpinionRow): Disagreement['grades'][number] => ({
  grade_id: opinion.id,
  judge: opinion.judge,
  rubric: opinion.rubric,
  status: opinion.status,
  label: opinion.label,
  claimed_label: opinion.claimed_label,
  outcome: opinion.outcome,
  claims: opinion.claims as Disagreement['grades'][number]['claims'],
  confidence: opinion.confidence,
  votes: opinion.votes.map(({ label }) => label),
  contradictions: [...opinion.contradictions],
})
