import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BatchStores, type EndedItem, endedPages, withGrades } from '../batches/follow.ts'
import {
  fitsNames,
  type GradeFilter,
  type GradeStore,
  isOwnBatch,
  namesOf,
  questionOf,
  type StandingGrade,
} from '../db/grades.ts'
import type { ItemRecord } from '../db/items.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import { digestValue } from '../domain/digest.ts'
import { type ClaimValues, claimsOfGrade, outcomeOfGrade } from '../domain/rubric/claim-values.ts'
import type { Outcome } from '../domain/rubric/outcome.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeSelection } from '../schemas/regrade.ts'
import type { Signals } from '../schemas/trial.ts'
import {
  type ConfidenceLevel,
  type ContradictionCode,
  type FailureCode,
  type GradeStatus,
  type ItemStatus,
  type Label,
  rubricIdOf,
  TAB_BEHAVIOR,
} from '../schemas/vocabulary.ts'

/** A trial as one judge graded it: a standing grade, or the end of an item of a batch, regardless of later grades. */
export interface Trial {
  /** The digests of the trajectory and of the ground truth: `sha256:…/sha256:…`. */
  readonly question: string
  readonly judge: string
  /** `id@version`. */
  readonly rubric: string
  readonly status: ItemStatus
  readonly failure: FailureCode | null
  readonly label: Label | null
  readonly metadata: Grade['metadata']
  readonly signals: Signals
  /** The instructions in the ground truth, where they are known without the stored truth. */
  readonly given: readonly string[] | null
  readonly grade: Grade | null
}

/** Makes the trial of a standing grade. */
const trialOfGrade = ({ grade, signals }: StandingGrade): Trial => ({
  question: questionOf(grade),
  judge: grade.receipt.judge,
  rubric: grade.receipt.rubric,
  status: grade.status,
  failure: grade.failure?.code ?? null,
  label: grade.label,
  metadata: grade.metadata,
  signals,
  given: null,
  grade,
})

/** Makes the trial of an ended item. Every item keeps the full names of its judge and rubric from its submission. */
const trialOfItem = ({ item, grade }: EndedItem): Trial => ({
  question: grade === null ? questionOfItem(item) : questionOf(grade),
  judge: grade?.receipt.judge ?? item.request.judge ?? '',
  rubric: grade?.receipt.rubric ?? item.request.rubric ?? TAB_BEHAVIOR,
  status: item.status,
  failure: item.failure?.code ?? null,
  label: item.label,
  metadata: item.request.metadata ?? {},
  signals: item.request.ground_truth.signals ?? {},
  given: Object.keys(item.request.ground_truth),
  grade,
})

/**
 * Returns the question of an item: its trajectory and the digest of its ground truth. `instructions`: those of its rubric, where the rubric
 * is loaded; a bare text counts as an instruction only by its name.
 */
export const questionOfItem = (
  { trajectory, request }: Pick<ItemRecord, 'trajectory' | 'request'>,
  instructions?: readonly string[],
): string => `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth, instructions))}`

/** Reads the ended trials of a batch in order, a page of the store at a time. */
export async function* readBatchTrials({ batches, grades }: BatchStores, batch: string): AsyncGenerator<Trial> {
  for await (const page of endedPages(batches, batch)) {
    yield* (await withGrades(grades, page)).map(trialOfItem)
    await nextTurn()
  }
}

const PAGE = 200

/** Reads the standing grades that fit, newest first, a page of the store at a time. */
export async function* readStandingTrials(grades: GradeStore, filter: GradeFilter): AsyncGenerator<Trial> {
  let before: string | undefined
  for (;;) {
    const page = await grades.listStanding({ ...filter, limit: PAGE, ...(before !== undefined && { before }) })
    yield* page.map(trialOfGrade)
    before = page.at(-1)?.grade.id
    if (page.length < PAGE) return
    await nextTurn()
  }
}

/** Tells whether a trial fits every given name. The item's own names count, not those of an older grade that answered it. */
export function fitsTrial(trial: Trial, filter: Omit<GradeFilter, 'batch'>): boolean {
  const { label, status, judge, rubric, metadata } = trial
  const { agent, model, task } = metadata
  return fitsNames({ label, status, judge, rubric, agent, model, task }, filter)
}

/** Questions read between two turns of the event loop. */
const TURN = 200

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

export type QuestionStores = BatchStores & { readonly grades: GradeStore }

/** Returns the subject of a comparison: a question under a rubric of one id. `sha256:…/sha256:…/tab-behavior`. */
export const subjectOf = (question: string, rubric: string): string => `${question}/${rubricIdOf(rubric)}`

/** Names a rater as `POST /v1/agreement` does. */
export const nameOf = ({ judge, rubric }: Pick<OpinionRow, 'judge' | 'rubric'>): string => `${judge}@${rubric}`

/**
 * Reads the questions with a grade that fits every filter, by subject, each with all judges' opinions under that rubric: a judge disagrees
 * with others, which may not fit the filter. For a batch its own trials are selected and shown, else standing grades. Memory grows only
 * with the rows.
 *
 * @param among limits the result to these questions.
 */
export async function readQuestions(
  stores: QuestionStores,
  filter: GradeFilter,
  among?: ReadonlySet<string>,
): Promise<Map<string, QuestionRow>> {
  const { batch, ...names } = filter
  const questions = new Map<string, QuestionRow>()
  const chosen = new Set<string>()
  const isAll = Object.keys(filter).length === 0
  const ofBatch = isOwnBatch(batch)
  for await (const trial of ofBatch ? readBatchTrials(stores, batch) : readStandingTrials(stores.grades, filter)) {
    const subject = subjectOf(trial.question, trial.rubric)
    if (among?.has(subject) === false) continue
    if (ofBatch || isAll) addTrial(questions, trial)
    if (!ofBatch || fitsTrial(trial, names)) chosen.add(subject)
  }
  if (isAll) return questions
  if (!ofBatch) return readChosen(stores.grades, chosen)
  let turn = 0
  for (const [subject, row] of questions) {
    if (!chosen.has(subject)) questions.delete(subject)
    else await addOthers(stores.grades, row)
    if (++turn % TURN === 0) await nextTurn()
  }
  return questions
}

/** Reads the questions of the stored grades that fit, each with all judges' opinions. Without a selection: all questions. */
export async function readSelected(
  stores: QuestionStores,
  selection: GradeSelection = {},
): Promise<Map<string, QuestionRow>> {
  const { ids, ...filter } = selection
  if (ids === undefined) return readQuestions(stores, filter)
  const { batch, ...own } = filter
  const chosen = new Set<string>()
  for (const [index, id] of ids.entries()) {
    // A replaced grade still selects its question.
    const grade = await stores.grades.get(id)
    if (grade !== null && fitsNames(namesOf(grade), own)) chosen.add(subjectOf(questionOf(grade), grade.receipt.rubric))
    if (index % TURN === TURN - 1) await nextTurn()
  }
  return batch === undefined ? readChosen(stores.grades, chosen) : readQuestions(stores, { batch }, chosen)
}

/** Reads questions with all their standing grades. */
async function readChosen(grades: GradeStore, chosen: ReadonlySet<string>): Promise<Map<string, QuestionRow>> {
  const questions = new Map<string, QuestionRow>()
  let turn = 0
  for (const subject of chosen) {
    for (const standing of await grades.listForQuestion(subject.slice(0, subject.lastIndexOf('/')))) {
      const trial = trialOfGrade(standing)
      if (subjectOf(trial.question, trial.rubric) === subject) addTrial(questions, trial)
    }
    if (++turn % TURN === 0) await nextTurn()
  }
  return questions
}

/** Adds a trial to the row of its subject; missing names of agent, model and task are filled in. */
function addTrial(questions: Map<string, QuestionRow>, trial: Trial): void {
  const { question, judge, rubric, status, metadata, signals, grade } = trial
  const { agent = null, model = null, task = null } = metadata
  const subject = subjectOf(question, rubric)
  const trajectory = question.slice(0, question.indexOf('/'))
  const row: QuestionRow = questions.get(subject) ?? {
    ...{ question, trajectory, rubric: rubricIdOf(rubric), agent, model, task, signals },
    ...{ opinions: [], ungraded: [], others: [] },
  }
  row.agent ??= agent
  row.model ??= model
  row.task ??= task
  questions.set(subject, row)
  if (grade !== null) row.opinions.push(toRow(grade))
  else if (status === 'failed' || status === 'cancelled') row.ungraded.push({ judge, rubric, status })
}

/** Adds the standing answers of judges and rubrics that the batch did not use. */
async function addOthers(
  grades: GradeStore,
  { question, rubric, opinions, ungraded, others }: QuestionRow,
): Promise<void> {
  const asked = new Set([...opinions, ...ungraded].map(nameOf))
  opinions.sort(newestFirst)
  for (const { grade } of await grades.listForQuestion(question))
    if (rubricIdOf(grade.receipt.rubric) === rubric && !asked.has(nameOf(grade.receipt))) others.push(toRow(grade))
}

const toRow = (grade: Grade): OpinionRow => ({
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
const newestFirst = (one: { readonly id: string }, other: { readonly id: string }): number =>
  one.id < other.id ? 1 : one.id > other.id ? -1 : 0
