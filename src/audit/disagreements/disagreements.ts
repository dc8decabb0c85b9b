import { claimIdOf, newestRubric, type Rubrics } from '../../domain/rubric/said-claims.ts'
import type { GradeFilter, ReviewStore } from '../../ports/grade-ports.ts'
import { DISAGREEMENT_KINDS, type Disagreement, type DisagreementKind } from '../../schemas/audit/disagreement.ts'
import { differingClaims, FIND_CLASHES, type FoundClash, type Said } from './clashes.ts'
import { nextTurn } from './next-turn.ts'
import { type QuestionStores, readQuestions } from './question-selection.ts'
import { compareQueued, explainScore, mostTelling, type Scored } from './score.ts'
import { latestOpinions, type OpinionRow, type QuestionRow, subjectOf } from './standing-opinions.ts'
import { agreedLabel, type ReviewRow, standingReviewsOf } from './standing-reviews.ts'

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

const TURN = 1000

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
    if (++written % TURN === 0) await nextTurn()
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
    if (++turn % TURN === 0) await nextTurn()
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
