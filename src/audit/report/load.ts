import type { BatchStores } from '../../batches/follow.ts'
import { type GradeStore, isOwnBatch } from '../../db/grades.ts'
import type { ReviewStore } from '../../db/reviews.ts'
import { count } from '../../domain/count.ts'
import { defined } from '../../domain/defined.ts'
import { notesOf } from '../../domain/notes.ts'
import type { Issue } from '../../domain/result.ts'
import { claimsOfGrade } from '../../domain/rubric/claim-values.ts'
import type { Scalar } from '../../domain/rubric/rubric.ts'
import { RequestError } from '../../schemas/problem.ts'
import type { Review } from '../../schemas/review.ts'
import { BASELINE_VARIANT, rubricIdOf } from '../../schemas/vocabulary.ts'
import { questionOfReview, readReviews, standingReviews } from '../reviews.ts'
import { fitsTrial, readBatchTrials, readStandingTrials, type Trial } from '../trials.ts'
import { settleReviews } from './reviewed.ts'
import { type BaselineRun, hasAlignment, type ReportInput, type ReportRubric, type TrialRow } from './rows.ts'

type AuditStores = TrialStores & { readonly reviews: ReviewStore }

/** Loads the trials of a report as small rows: those that fit the filter, in one pass, then one pass over the reviews. */
export async function loadReport(
  stores: AuditStores,
  filter: ReportFilter,
  groupBy: string,
  rubricOf: (name: string | null) => ReportRubric,
): Promise<ReportInput> {
  const { selected, fields, judges, rubrics, baselines, notes } = await findTrials(stores, filter, groupBy)
  const several = [...oneOf('judge', groupBy === 'judge' ? [] : judges), ...oneOf('rubric', rubrics)]
  if (several.length > 0) throw new RequestError('several_graders', SEVERAL_GRADERS, { errors: several })
  const [name = null] = rubrics
  const rubric = rubricOf(name)
  if (hasAlignment(rubric.name) && needsBaselines(selected, filter))
    await addBaselines(stores.grades, filter, baselines)
  const reviewed = await addReviews(stores, selected, rubric)
  return {
    trials: await addInstructions(stores.grades, selected, reviewed.trials, rubric),
    baselines: [...baselines.values()],
    fields: [...fields].sort(),
    rubric,
    found: name,
    notes: [...notes, ...doubledTruths(selected), ...reviewed.notes],
  }
}

const SEVERAL_GRADERS = 'the selected trials were graded by several judges or rubrics, and would count several times'

/** Lists the names of several judges or rubrics, to choose from: a trial must count once. */
const oneOf = (name: string, names: Iterable<string>): Issue[] => {
  const sorted = [...names].sort()
  return sorted.length > 1 ? [{ path: `/${name}`, message: `is needed, one of: ${sorted.join(', ')}` }] : []
}

/** Tells whether Terminal-Bench runs must be read apart, because the first pass saw only trials that fit the filter. */
const needsBaselines = (selected: SelectedTrials['selected'], { judge, rubric, batch }: ReportFilter): boolean =>
  [judge, rubric, batch].some((one) => one !== undefined) &&
  selected.some(({ row }) => row.terminal_bench_resolved === null)

/** Adds the instructions of each trial, where a claim depends on them. Each ground truth is read once: tasks share few. */
async function addInstructions(
  grades: GradeStore,
  selected: readonly UnreviewedTrial[],
  rows: readonly TrialRow[],
  { claims }: ReportRubric,
): Promise<readonly TrialRow[]> {
  if (claims.every((claim) => claim.only_if_given === null)) return rows
  const instructions = new Map<string, readonly string[]>()
  for (const { question, given, grade_id } of selected) {
    const truth = truthOf(question)
    if (instructions.has(truth) || (given === null && grade_id === null)) continue
    instructions.set(truth, given ?? Object.keys((await grades.getGroundTruth(grade_id ?? '')) ?? {}))
  }
  return rows.map((row, index) => ({ ...row, given: instructions.get(truthOf(selected[index]?.question)) ?? [] }))
}

/** Returns the digest of the ground truth of a question. */
const truthOf = (question = ''): string => question.slice(question.indexOf('/') + 1)

async function addReviews(
  { reviews, grades }: AuditStores,
  selected: readonly UnreviewedTrial[],
  rubric: ReportRubric,
): Promise<{ trials: TrialRow[]; notes: string[] }> {
  const byQuestion = new Map<string, Review[]>(selected.map(({ question }) => [question, []]))
  for await (const review of readReviews(reviews, {})) byQuestion.get(questionOfReview(review))?.push(review)
  await dropOtherRubrics(grades, byQuestion, selected, rubric)
  let unsettled = 0
  const trials = selected.map(({ question, grade_id, row }): TrialRow => {
    const all = byQuestion.get(question) ?? []
    const review = settleReviews(standingReviews(all), rubric, grade_id, all)
    if (review === null && all.length > 0) unsettled++
    return { ...row, review }
  })
  const notes = notesOf({
    [`the reviews of ${count(unsettled, 'trial')} have no label that more than half of the raters share: they are not used`]:
      unsettled > 0,
  })
  return { trials, notes }
}

/** Grades looked up at once. */
const PAGE = 200

/** Removes reviews of grades by other rubrics: the same run may have been asked other questions. */
async function dropOtherRubrics(
  grades: GradeStore,
  byQuestion: Map<string, Review[]>,
  selected: readonly UnreviewedTrial[],
  rubric: ReportRubric,
): Promise<void> {
  const wanted = rubricIdOf(rubric.name)
  const rubrics = new Map(
    selected.flatMap(({ grade_id, rubric: name }) => (grade_id === null ? [] : [[grade_id, name]])),
  )
  const others = [...byQuestion.values()].flat().flatMap(({ grade_id }) => (rubrics.has(grade_id) ? [] : [grade_id]))
  const unknown = [...new Set(others)]
  for (let at = 0; at < unknown.length; at += PAGE)
    for (const { id, receipt } of await grades.getMany(unknown.slice(at, at + PAGE))) rubrics.set(id, receipt.rubric)
  for (const [question, reviews] of byQuestion)
    byQuestion.set(
      question,
      reviews.filter(({ grade_id }) => rubricIdOf(rubrics.get(grade_id) ?? '') === wanted),
    )
}

function doubledTruths(selected: readonly UnreviewedTrial[]): string[] {
  const truths = new Map<string, Set<string>>()
  for (const { question } of selected) {
    const [trajectory = '', truth = ''] = question.split('/')
    truths.set(trajectory, (truths.get(trajectory) ?? new Set()).add(truth))
  }
  const doubled = [...truths.values()].filter(({ size }) => size > 1).length
  return notesOf({
    [`${count(doubled, 'trajectory is', 'trajectories are')} stored with several ground truths: each counts as a trial`]:
      doubled > 0,
  })
}

type ReportFilter = {
  readonly [Name in 'judge' | 'rubric' | 'batch' | 'agent' | 'model' | 'task' | 'variant']?: string | undefined
}

type TrialStores = BatchStores & { readonly grades: GradeStore }

/** A trial before its reviews are read. */
interface UnreviewedTrial extends Pick<Trial, 'question' | 'rubric' | 'given'> {
  readonly grade_id: string | null
  readonly row: TrialRow
}

interface SelectedTrials {
  readonly selected: readonly UnreviewedTrial[]
  /** Judges and rubrics of all grades that fit, also where another grade of the question counts. */
  readonly judges: ReadonlySet<string>
  readonly rubrics: ReadonlySet<string>
  /** Names of metadata fields. */
  readonly fields: ReadonlySet<string>
  /** Terminal-Bench runs by question. */
  readonly baselines: Map<string, BaselineRun>
  readonly notes: readonly string[]
}

/**
 * Finds the trials of a batch with their end in it; else standing grades, each question of a judge once. Terminal-Bench runs of a rubric with
 * TAB's figures are kept apart; other rubrics grade such runs like any other.
 */
async function findTrials(
  stores: TrialStores,
  { variant, ...filter }: ReportFilter,
  groupBy: string,
): Promise<SelectedTrials> {
  const { batch, ...names } = defined(filter)
  const ofBatch = isOwnBatch(batch)
  const [judges, rubrics, fields] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const baselines = new Map<string, BaselineRun>()
  const all: UnreviewedTrial[] = []
  let ended = 0
  for await (const trial of ofBatch
    ? readBatchTrials(stores, batch)
    : readStandingTrials(stores.grades, defined(filter))) {
    ended++
    if (ofBatch && !fitsTrial(trial, names)) continue
    const { question, rubric, given, grade, judge } = trial
    const row = rowOf(trial, groupBy)
    if (row.variant === BASELINE_VARIANT && hasAlignment(rubric) && variant !== BASELINE_VARIANT) {
      addBaseline(baselines, question, row)
      continue
    }
    if (variant !== undefined && row.variant !== variant) continue
    judges.add(judge)
    rubrics.add(rubric)
    for (const [name, value] of Object.entries(trial.metadata)) if (value !== null) fields.add(name)
    all.push({ question, rubric, given, grade_id: grade?.id ?? null, row })
  }
  const found = { judges, rubrics, fields, baselines }
  const newest = newestOfQuestions(all)
  const again = all.length - newest.length
  if (!ofBatch) return { ...found, selected: newest, notes: notesOnReplaced(again) }
  const total = (await stores.batches.get(batch))?.counts.total ?? 0
  return { ...found, selected: all, notes: notesOnBatch(total - ended, total, again) }
}

const notesOnReplaced = (grades: number): string[] =>
  notesOf({
    [`${count(grades, 'older grade of the same question by the same judge is', 'older grades of the same question by the same judge are')} left out`]:
      grades > 0,
  })

const notesOnBatch = (open: number, total: number, again: number): string[] =>
  notesOf({
    [`${open} of the ${count(total, 'trial')} of the batch ${open === 1 ? 'has not ended: it is' : 'have not ended: they are'} not counted`]:
      open > 0,
    [`${count(again, 'trial of the batch is the same, byte for byte, as another', 'trials of the batch are the same, byte for byte, as others')} of it: each counts`]:
      again > 0,
  })

/** Keeps one trial of each question by a judge, which may have graded it under several settings: the newest, a failure only without any other. */
function newestOfQuestions(trials: readonly UnreviewedTrial[]): UnreviewedTrial[] {
  const newest = new Map<string, UnreviewedTrial>()
  for (const trial of trials) {
    const key = `${trial.question}/${trial.row.judge}`
    const earlier = newest.get(key)
    if (earlier === undefined || (earlier.row.status === 'failed' && trial.row.status !== 'failed'))
      newest.set(key, trial)
  }
  return [...newest.values()]
}

/** Adds the Terminal-Bench runs of any judge and batch, of which only the measured signals count. */
async function addBaselines(
  grades: GradeStore,
  { agent, model, task }: ReportFilter,
  baselines: SelectedTrials['baselines'],
): Promise<void> {
  for await (const trial of readStandingTrials(grades, defined({ agent, model, task }))) {
    const row = rowOf(trial, 'none')
    if (row.variant === BASELINE_VARIANT) addBaseline(baselines, trial.question, row)
  }
}

function addBaseline(baselines: SelectedTrials['baselines'], question: string, row: BaselineRun): void {
  const { agent, model, task, run_index, resolved } = row
  if (!baselines.has(question)) baselines.set(question, { agent, model, task, run_index, resolved })
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

function rowOf(trial: Trial, groupBy: string): TrialRow {
  const { question, judge, status, failure, label, grade, signals } = trial
  const metadata: Readonly<Record<string, unknown>> = trial.metadata
  const claims = Object.entries((grade && claimsOfGrade(grade)) ?? {}).filter(isScalar)
  return {
    judge,
    judge_model: grade?.receipt.model_requested ?? null,
    agent: textOf(metadata['agent']),
    model: textOf(metadata['model']),
    variant: textOf(metadata['variant']),
    task: textOf(metadata['task']),
    key: keyOf(trial, groupBy),
    run: question.slice(0, question.indexOf('/')),
    run_index: trial.metadata.run_index ?? null,
    status,
    failure,
    label,
    claims: Object.fromEntries(label === null ? claims.filter(([, value]) => value === null) : claims),
    given: [],
    citations: grade?.citations.map((citation) => citation.status) ?? [],
    confidence: grade?.confidence.reported ?? null,
    contradicted: (grade?.contradictions.length ?? 0) > 0,
    unread: grade?.receipt.unread === undefined ? null : grade.receipt.unread.records > 0,
    appeared: signals.appeared ?? null,
    executed: signals.executed ?? null,
    resolved: signals.resolved ?? null,
    conflicting_reward: metadata['conflicting_reward'] === true,
    terminal_bench_resolved: flagOf(metadata['terminal_bench_resolved']),
    review: null,
  }
}

/** Lists have no share. */
const isScalar = (claim: readonly [string, unknown]): claim is [string, Scalar] =>
  claim[1] === null || typeof claim[1] !== 'object'

/** Returns the group of a trial: the judge, the observed category of surface, or a field of the metadata as a text. */
function keyOf({ judge, label, grade, metadata }: Trial, by: string): string | null {
  if (by === 'judge') return judge
  const surface = label === null ? null : grade?.surface
  if (by === 'surface' && surface) return surface.observed ? surface.category : null
  const value: unknown = Object.entries(metadata).find(([name]) => name === by)?.[1]
  return value === null || value === undefined ? null : String(value)
}
