import { setImmediate as nextTurn } from 'node:timers/promises'
import { type GradeFilter, type GradeStore, questionOf, type StandingGrade } from '../../db/grades.ts'
import type { ReviewStore } from '../../db/reviews.ts'
import { pushTo } from '../../domain/push-to.ts'
import {
  type ClaimValues,
  claimsOfGrade,
  claimsOfReview,
  outcomeOfGrade,
  rubricIdOfReview,
} from '../../domain/rubric/claim-values.ts'
import type { Outcome } from '../../domain/rubric/outcome.ts'
import type { Review } from '../../schemas/audit/review.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Signals } from '../../schemas/ground-truth.ts'
import {
  type ConfidenceLevel,
  type ContradictionCode,
  type GradeStatus,
  type Label,
  rubricIdOf,
} from '../../schemas/vocabulary.ts'

const PAGE = 200

export interface ReviewFilter {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  /** The id of a rubric, without its version. */
  readonly rubric?: string
  /** `null` selects the reviews that leave the question undecided. */
  readonly label?: Label | null
  /** Exclusive: selects reviews older than this id. */
  readonly before?: string
}

/** A reviewer's standing answer to a question. */
export interface ReviewRow {
  readonly id: string
  readonly rater: string
  readonly label: Label | null
  readonly claims: ClaimValues
  readonly blind: boolean
}

/** Yields all reviews that fit, newest first, a page of the store at a time. */
export async function* readReviews(store: ReviewStore, filter: ReviewFilter): AsyncGenerator<Review> {
  const { label, rubric, before, ...query } = filter
  const fits = (review: Review) =>
    (label === undefined || review.label === label) && (rubric === undefined || rubricIdOfReview(review) === rubric)
  let last = before
  for (;;) {
    const page = await store.list({ ...query, limit: PAGE, ...(last !== undefined && { before: last }) })
    yield* page.filter(fits)
    last = page.at(-1)?.id
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/** Returns the question of a review, without its reviewer: `sha256:…/sha256:…`. */
export const questionOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth'>): string =>
  `${review.trajectory}/${review.ground_truth}`

/** Returns the subject of a review: its question under its rubric. */
const subjectOfReview = (review: Pick<Review, 'trajectory' | 'ground_truth' | 'rubric'>): string =>
  subjectOf(questionOfReview(review), rubricIdOfReview(review))

/**
 * Keeps the newest review of a question by a rubric for each rater, newest first. A review with a null label withdraws an earlier label.
 *
 * @param reviews newest first.
 */
export function standingReviews(reviews: Iterable<Review>): Review[] {
  const ratersBySubject = new Map<string, Set<string>>()
  const standing: Review[] = []
  for (const review of reviews)
    if (isFirst(ratersBySubject, subjectOfReview(review), review.rater)) standing.push(review)
  return standing
}

/** Reads the standing reviews of some questions under their rubrics, with their claims; memory grows only with the raters. */
export async function standingReviewsOf(
  store: ReviewStore,
  subjects: ReadonlyMap<string, unknown>,
): Promise<Map<string, ReviewRow[]>> {
  const rows = new Map<string, ReviewRow[]>()
  const ratersBySubject = new Map<string, Set<string>>()
  for await (const review of readReviews(store, {})) {
    const subject = subjectOfReview(review)
    const { id, rater, label, blind } = review
    if (!subjects.has(subject) || !isFirst(ratersBySubject, subject, rater)) continue
    pushTo(rows, subject, { id, rater, label, claims: claimsOfReview(review), blind })
  }
  return rows
}

function isFirst(ratersBySubject: Map<string, Set<string>>, subject: string, rater: string): boolean {
  const raters = ratersBySubject.get(subject) ?? new Set()
  if (raters.has(rater)) return false
  ratersBySubject.set(subject, raters.add(rater))
  return true
}

/** Returns the label on which all raters agree, null included; undefined without reviews, or where raters differ. */
export function agreedLabel(standing: readonly Pick<Review, 'label'>[]): Label | null | undefined {
  const [first] = standing
  return first !== undefined && standing.every(({ label }) => label === first.label) ? first.label : undefined
}

/** The members of a grade that the audit keeps: no evidence, no receipt, no notes. */
export interface OpinionRow {
  readonly id: string
  readonly judge: string
  readonly rubric: string
  readonly status: GradeStatus
  readonly label: Label | null
  readonly claimed_label: Label | null
  readonly confidence: ConfidenceLevel | null
  readonly vote_share: number | null
  readonly outcome: Outcome | null
  /** Null for a failed judge. */
  readonly claims: ClaimValues | null
  readonly votes: readonly VoteRow[]
  readonly contradictions: readonly ContradictionCode[]
}

export interface VoteRow {
  readonly status: GradeStatus
  readonly label: Label | null
  readonly confidence: ConfidenceLevel | null
}

/** A question under one rubric, with all judges' opinions, newest first. */
export interface QuestionRow {
  readonly question: string
  readonly trajectory: string
  /** The id of the rubric, without its version. */
  readonly rubric: string
  /** Names from the newest grade that has them. */
  agent: string | null
  model: string | null
  task: string | null
  readonly signals: Signals
  readonly opinions: OpinionRow[]
  /** Trials of a batch that ended without a grade. */
  readonly ungraded: { readonly judge: string; readonly rubric: string; readonly status: 'failed' | 'cancelled' }[]
  /** Standing opinions of judges that the batch did not ask. */
  readonly others: OpinionRow[]
}

/** Returns the subject of a comparison: a question under a rubric of one id. `sha256:…/sha256:…/tab-behavior`. */
export const subjectOf = (question: string, rubric: string): string => `${question}/${rubricIdOf(rubric)}`

/** Splits a subject into its question and the id of its rubric. */
function splitSubject(subject: string): { readonly question: string; readonly rubric: string } {
  const slash = subject.lastIndexOf('/')
  return { question: subject.slice(0, slash), rubric: subject.slice(slash + 1) }
}

const subjectOfGrade = (grade: Grade): string => subjectOf(questionOf(grade), grade.receipt.rubric)

/** Yields the standing grades that fit, newest first, a page of the store at a time. */
export async function* readStanding(grades: GradeStore, filter: GradeFilter): AsyncGenerator<StandingGrade> {
  let before: string | undefined
  for (;;) {
    const page = await grades.listStanding({ ...filter, limit: PAGE, ...(before !== undefined && { before }) })
    yield* page
    before = page.at(-1)?.grade.id
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/**
 * Reads the questions with a standing grade that fits every filter, by subject, each with all its standing grades under that rubric,
 * whether they fit or not.
 */
export async function readStandingQuestions(
  grades: GradeStore,
  filter: GradeFilter,
  among?: ReadonlySet<string>,
): Promise<Map<string, QuestionRow>> {
  if (Object.keys(filter).length > 0) return readChosen(grades, await chooseQuestions(grades, filter, among))
  const questions = new Map<string, QuestionRow>()
  for await (const standing of readStanding(grades, {})) addStanding(questions, standing)
  return questions
}

async function chooseQuestions(
  grades: GradeStore,
  filter: GradeFilter,
  among?: ReadonlySet<string>,
): Promise<Set<string>> {
  const chosen = new Set<string>()
  for await (const { grade } of readStanding(grades, filter)) {
    const subject = subjectOfGrade(grade)
    if (among?.has(subject) !== false) chosen.add(subject)
  }
  return chosen
}

export async function readChosen(grades: GradeStore, chosen: ReadonlySet<string>): Promise<Map<string, QuestionRow>> {
  const questions = new Map<string, QuestionRow>()
  let turn = 0
  for (const subject of chosen) {
    for (const standing of await grades.listForQuestion(splitSubject(subject).question))
      if (subjectOfGrade(standing.grade) === subject) addStanding(questions, standing)
    if (++turn % PAGE === 0) await nextTurn()
  }
  return questions
}

function addStanding(questions: Map<string, QuestionRow>, { grade, signals }: StandingGrade): void {
  rowFor(questions, subjectOfGrade(grade), grade.metadata, signals).opinions.push(toRow(grade))
}

/** Returns the row of a subject, made if missing; missing names of agent, model and task are filled in. */
export function rowFor(
  questions: Map<string, QuestionRow>,
  subject: string,
  metadata: Grade['metadata'],
  signals: Signals,
): QuestionRow {
  const { agent = null, model = null, task = null } = metadata
  const names = { agent, model, task }
  const row = questions.get(subject) ?? startRow(subject, { ...names, signals })
  row.agent ??= agent
  row.model ??= model
  row.task ??= task
  questions.set(subject, row)
  return row
}

function startRow(subject: string, known: Pick<QuestionRow, 'agent' | 'model' | 'task' | 'signals'>): QuestionRow {
  const { question, rubric } = splitSubject(subject)
  const trajectory = question.slice(0, question.indexOf('/'))
  return { question, trajectory, rubric, ...known, opinions: [], ungraded: [], others: [] }
}

export const toRow = (grade: Grade): OpinionRow => ({
  id: grade.id,
  judge: grade.receipt.judge,
  rubric: grade.receipt.rubric,
  status: grade.status,
  label: grade.label,
  claimed_label: grade.claimed_label,
  confidence: grade.confidence.reported,
  vote_share: grade.confidence.vote_share,
  outcome: outcomeOfGrade(grade),
  claims: claimsOfGrade(grade),
  votes: grade.votes.map(({ status, label, confidence }) => ({ status, label, confidence })),
  contradictions: [...new Set(grade.contradictions.map(({ code }) => code))],
})

/**
 * Keeps one opinion of each judge and rubric, newest first: a changed judge, or one asked for more samples, has a grade under each key. The
 * newest that did not fail counts, else the newest.
 */
export function latestOpinions<Of extends Pick<OpinionRow, 'id' | 'judge' | 'rubric' | 'status'>>(
  opinions: readonly Of[],
): Of[] {
  const latest = new Map<string, Of>()
  for (const opinion of opinions) {
    const name = JSON.stringify([opinion.judge, opinion.rubric])
    const newest = latest.get(name)
    if (newest === undefined || (newest.status === 'failed' && opinion.status !== 'failed')) latest.set(name, opinion)
  }
  return [...latest.values()].sort(newestFirst)
}

/** Orders newest first; ids sort by age. */
export const newestFirst = (one: { readonly id: string }, other: { readonly id: string }): number =>
  one.id < other.id ? 1 : one.id > other.id ? -1 : 0
