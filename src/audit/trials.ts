import { setImmediate as nextTurn } from 'node:timers/promises'
import { type EndedItem, endedPages, withGrades } from '../batches/follow.ts'
import type { ItemRecord } from '../db/batches.ts'
import { fitsNames, type GradeFilter, isOwnBatch, namesOf, questionOf, type StandingGrade } from '../db/grades.ts'
import { normalizeGroundTruth } from '../domain/anchors/anchors.ts'
import { digestValue } from '../domain/digest.ts'
import { neededQuotes } from '../domain/evidence/citations.ts'
import { claimsOfGrade, outcomeOfGrade, type Rubrics, rubricOf } from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeSelection } from '../schemas/trial.ts'
import { rubricIdOf, TAB_BEHAVIOR } from '../schemas/vocabulary.ts'
import type { AuditContext } from './names.ts'

/** A trial as one judge graded it: a standing grade, or the end of an item of a batch, regardless of later grades. */
export type Trial = Readonly<ReturnType<typeof trialOfItem>>

const trialOfGrade = ({ grade, signals }: StandingGrade): Trial => {
  const { status, failure, label, metadata, receipt } = grade
  const { judge, rubric } = receipt
  return { question: questionOf(grade), judge, rubric, status, failure, label, metadata, signals, given: null, grade }
}

/** Makes the trial of an ended item. Every item keeps the full names of its judge and rubric from its submission. */
export function trialOfItem({ item, grade }: EndedItem, rubrics: Rubrics) {
  const { status, failure, label, request } = item
  const { judge = '', rubric = TAB_BEHAVIOR } = grade?.receipt ?? request
  // The instructions in the ground truth; null: only the stored truth tells them.
  const given = Object.keys(request.ground_truth) as readonly string[] | null
  const { metadata = {}, ground_truth } = request
  const question = grade === null ? questionOfItem(item, rubrics) : questionOf(grade)
  const { signals = {} } = ground_truth
  return { question, judge, rubric, status, failure, label, metadata, signals, given, grade }
}

/** Returns trajectory/digest of the truth of an item. Its rubric says which bare texts are instructions. */
export function questionOfItem({ trajectory, request }: ItemRecord, rubrics: Rubrics): string {
  const instructions = rubricOf(rubrics, request.rubric ?? TAB_BEHAVIOR)?.truth.instructions
  return `${trajectory}/${digestValue(normalizeGroundTruth(request.ground_truth, instructions))}`
}

/** Returns a name of the metadata: an empty text names nothing. */
export const nameIn = (name: unknown): string | null => (typeof name === 'string' && name !== '' ? name : null)

/** Reads the ended trials of a batch of ours in order, whatever else the filter names; else the standing grades that fit, newest first. */
export async function* readTrials({ stores, rubrics }: QuestionContext, filter: GradeFilter): AsyncGenerator<Trial> {
  const { batches, grades } = stores
  if (!isOwnBatch(filter.batch)) {
    const list = (page: Page) => grades.listStanding({ ...filter, ...page })
    for await (const standing of newestFirst(list, ({ grade }) => grade.id)) yield trialOfGrade(standing)
    return
  }
  for await (const page of endedPages(batches, filter.batch)) {
    yield* (await withGrades(grades, page)).map((ended) => trialOfItem(ended, rubrics))
    await nextTurn()
  }
}

type Page = Readonly<{ limit: number; before?: string }>
const PAGE = 200

/** Yields the records of a store, newest first, a page at a time. */
export async function* newestFirst<T>(
  list: (page: Page) => Promise<readonly T[]>,
  idOf: (record: T) => string,
  from: Pick<Page, 'before'> = {},
): AsyncGenerator<T> {
  for (let next = from; ; ) {
    const records = await list({ ...next, limit: PAGE })
    yield* records
    const last = records.at(-1)
    if (last === undefined || records.length < PAGE) return
    next = { before: idOf(last) }
    await nextTurn()
  }
}

/** Yields items, with a turn of the event loop after every 200. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0
  for (const item of items) {
    yield item
    if (++count % PAGE === 0) await nextTurn()
  }
}

/** Tells whether a grade was made to watch its judge, by `veridict canary`. */
export const isCanary = ({ metadata }: { readonly metadata: object }): boolean => Object.hasOwn(metadata, 'canary')

/** Tells whether a trial fits every given name. The item's own names count, not those of an older grade that answered it. */
export function fitsTrial(trial: Trial, { batch: _, ...filter }: GradeFilter): boolean {
  const { label, status, judge, rubric, metadata } = trial
  const { agent, model, task } = metadata
  return fitsNames({ label, status, judge, rubric, agent, model, task }, filter)
}

/** The members of a grade that the audit keeps: no evidence, no receipt, no notes. */
export type OpinionRow = Readonly<ReturnType<typeof opinionIn>>

/** A question under one rubric, with all judges' opinions, newest first. */
export type QuestionRow = ReturnType<typeof startRow>

export type QuestionContext = Pick<AuditContext, 'stores' | 'rubrics'>

/** Returns the subject of a comparison: a question under a rubric of one id. `sha256:…/sha256:…/tab-behavior`. */
export const subjectOf = (question: string, rubric: string): string => `${question}/${rubricIdOf(rubric)}`

/** Names a rater as `POST /v1/agreement` does. */
export const nameOf = ({ judge, rubric }: Pick<OpinionRow, 'judge' | 'rubric'>): string => `${judge}@${rubric}`

/** Reads the questions with a grade that fits, each with all judges’ opinions under its rubric, also those that do not fit. */
export async function readQuestions(context: QuestionContext, filter: GradeFilter): Promise<Map<string, QuestionRow>> {
  const questions = new Map<string, QuestionRow>()
  const chosen = new Set<string>()
  const isAll = Object.keys(filter).length === 0
  const ofBatch = isOwnBatch(filter.batch)
  for await (const trial of readTrials(context, filter)) {
    const subject = subjectOf(trial.question, trial.rubric)
    if (ofBatch || isAll) addTrial(questions, trial, context.rubrics)
    if (fitsTrial(trial, filter)) chosen.add(subject)
  }
  if (isAll) return questions
  if (!ofBatch) return readChosen(context, chosen)
  for await (const [subject, row] of inTurns(questions)) {
    if (chosen.has(subject)) await addOthers(context, row)
    else questions.delete(subject)
  }
  return questions
}

/** Reads the questions of the stored grades that fit, each with all judges' opinions. Without a selection: all questions. */
export async function readSelected(context: QuestionContext, { ids, ...filter }: GradeSelection = {}) {
  const { grades } = context.stores
  if (ids === undefined) return readQuestions(context, filter)
  const { batch, ...names } = filter
  const chosen = new Set<string>()
  for await (const id of inTurns(ids)) {
    // A replaced grade still selects its question.
    const grade = await grades.get(id)
    if (grade !== null && fitsNames(namesOf(grade), names))
      chosen.add(subjectOf(questionOf(grade), grade.receipt.rubric))
  }
  if (batch === undefined) return readChosen(context, chosen)
  return new Map([...(await readQuestions(context, { batch }))].filter(([subject]) => chosen.has(subject)))
}

/** Reads questions with all their standing grades. */
async function readChosen({ stores, rubrics }: QuestionContext, chosen: ReadonlySet<string>) {
  const questions = new Map<string, QuestionRow>()
  for await (const subject of inTurns(chosen))
    for (const standing of await stores.grades.listForQuestion(subject.slice(0, subject.lastIndexOf('/')))) {
      const trial = trialOfGrade(standing)
      if (subjectOf(trial.question, trial.rubric) === subject) addTrial(questions, trial, rubrics)
    }
  return questions
}

const NAMES = ['agent', 'model', 'task', 'trial'] as const

/** Makes the row of a question. Names are those of the newest grade that has them. */
const startRow = ({ question, rubric, signals }: Trial) => ({
  ...{ question, trajectory: question.slice(0, question.indexOf('/')), rubric: rubricIdOf(rubric), signals },
  ...({ agent: null, model: null, task: null, trial: null } as Record<(typeof NAMES)[number], string | null>),
  opinions: [] as OpinionRow[],
  /** Trials of a batch that ended without a grade. */
  ungraded: [] as (Pick<Trial, 'judge' | 'rubric'> & { readonly status: 'failed' | 'cancelled' })[],
  /** Standing opinions of judges that the batch did not ask. */
  others: [] as OpinionRow[],
})

/** Adds a trial to the row of its subject. */
function addTrial(questions: Map<string, QuestionRow>, trial: Trial, rubrics: Rubrics): void {
  const { judge, rubric, status, metadata, grade } = trial
  const subject = subjectOf(trial.question, rubric)
  const row = questions.get(subject) ?? startRow(trial)
  questions.set(subject, row)
  for (const name of NAMES) row[name] ??= nameIn(metadata[name])
  if (grade !== null) row.opinions.push(opinionIn(grade, rubrics))
  else if (status === 'failed' || status === 'cancelled') row.ungraded.push({ judge, rubric, status })
}

/** Adds the standing answers of judges and rubrics that the batch did not use. */
async function addOthers({ stores, rubrics }: QuestionContext, row: QuestionRow) {
  const { question, rubric, opinions, ungraded, others } = row
  const asked = new Set([...opinions, ...ungraded].map(nameOf))
  opinions.sort(byAge)
  for (const { grade } of await stores.grades.listForQuestion(question))
    if (rubricIdOf(grade.receipt.rubric) === rubric && !asked.has(nameOf(grade.receipt)))
      others.push(opinionIn(grade, rubrics))
}

/** Returns the label of a grade and the quotes behind it, with those of its samples; null: the quotes are not known. */
export const evidenceOf = (grade: Grade, rubric: Rubric | null) => ({
  label: grade.label,
  quotes: rubric && neededQuotes(claimsOfGrade(grade) ?? {}, grade.citations, rubric),
  votes: grade.votes.map(({ status, label, confidence, quotes = null }) => ({ status, label, confidence, quotes })),
})

/** Makes the opinion of a grade. */
export function opinionIn(grade: Grade, rubrics: Rubrics) {
  const { id, status, claimed_label, confidence, contradictions, unmet, receipt } = grade
  const { judge, rubric } = receipt
  return {
    ...{ id, judge, rubric, status, claimed_label, ...evidenceOf(grade, rubricOf(rubrics, rubric)) },
    outcome: outcomeOfGrade(grade),
    // Null for a failed judge.
    claims: claimsOfGrade(grade),
    ...{ confidence: confidence.reported, vote_share: confidence.vote_share },
    contradictions: [...new Set(contradictions.map(({ code }) => code))],
    recorded: { contradictions, unmet, unread: receipt.unread },
  }
}

/** Keeps the first record of each key, of records that come newest first; a failure counts only without any other. */
export function newestOf<Of extends Pick<Trial, 'status'>>(records: readonly Of[], keyOf: (record: Of) => string) {
  const newest = new Map<string, Of>()
  for (const record of records) {
    const earlier = newest.get(keyOf(record))
    if (earlier === undefined || (earlier.status === 'failed' && record.status !== 'failed'))
      newest.set(keyOf(record), record)
  }
  return [...newest.values()]
}

/** Keeps one opinion of each judge and rubric, newest first: a changed judge, or one asked for more samples, has a grade under each key. */
export const latestOpinions = <Of extends Pick<OpinionRow, 'id' | 'judge' | 'rubric' | 'status'>>(
  opinions: readonly Of[],
): Of[] => newestOf(opinions, ({ judge, rubric }) => JSON.stringify([judge, rubric])).sort(byAge)

/** Orders newest first; ids sort by age. */
const byAge = (one: Pick<OpinionRow, 'id'>, other: Pick<OpinionRow, 'id'>): number => (one.id < other.id ? 1 : -1)
