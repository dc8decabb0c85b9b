import type { BatchStores } from '../../batches/follow.ts'
import { type GradeStore, isOwnBatch, questionOf, type StandingGrade } from '../../db/grades.ts'
import { count } from '../../domain/count.ts'
import { defined } from '../../domain/defined.ts'
import { notesOf } from '../../domain/notes.ts'
import type { Scalar } from '../../domain/rubric/rubric.ts'
import type { Grade } from '../../schemas/grade.ts'
import type { Signals } from '../../schemas/ground-truth.ts'
import { BASELINE_VARIANT } from '../../schemas/vocabulary.ts'
import { type BatchTrial, fitsTrial, readBatchTrials } from '../comparison/batch-questions.ts'
import { readStanding } from '../disagreements/standing-opinions.ts'
import type { BaselineRun, TrialRow } from './report-rows.ts'
import { hasAlignment } from './report-rows.ts'

export type ReportFilter = {
  readonly [Name in 'judge' | 'rubric' | 'batch' | 'agent' | 'model' | 'task' | 'variant']?: string | undefined
}

export type TrialStores = BatchStores & { readonly grades: GradeStore }

/** A trial before its reviews are read. */
export interface UnreviewedTrial {
  readonly question: string
  readonly grade_id: string | null
  /** The digest of its ground truth, and the names of the instructions in it, where known. */
  readonly truth: string
  readonly given: readonly string[] | null
  readonly rubric: string
  readonly row: TrialRow
}

export interface SelectedTrials {
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
 * Finds the trials of a batch with their end in it; else standing grades, each question of a judge once. Terminal-Bench runs are kept
 * apart.
 */
export async function findTrials(
  stores: TrialStores,
  { variant, ...filter }: ReportFilter,
  groupBy: string,
): Promise<SelectedTrials> {
  const { batch } = filter
  const sorted = sortTrials(variant, groupBy)
  return isOwnBatch(batch)
    ? findInBatch(stores, { ...defined(filter), batch }, sorted)
    : findStanding(stores.grades, defined(filter), sorted)
}

/** Adds the Terminal-Bench runs of any judge and batch, of which only the measured signals count. */
export async function addBaselines(
  grades: GradeStore,
  { agent, model, task }: ReportFilter,
  baselines: SelectedTrials['baselines'],
): Promise<void> {
  for await (const standing of readStanding(grades, defined({ agent, model, task }))) {
    const selected = trialOf(standing, 'none')
    if (selected.row.variant === BASELINE_VARIANT) takeBaseline(baselines, selected)
  }
}

/** Finds standing grades. Of a question that a judge graded under several settings the newest counts, a failure only without any other. */
async function findStanding(
  grades: GradeStore,
  filter: Parameters<typeof readStanding>[1],
  sorted: Sorted,
): Promise<SelectedTrials> {
  const newest = new Map<string, UnreviewedTrial>()
  let replaced = 0
  for await (const standing of readStanding(grades, filter)) {
    const selected = sorted.take(trialOf(standing, sorted.groupBy), standing.grade.metadata)
    if (selected === null) continue
    const key = `${selected.question}/${selected.row.judge}`
    const earlier = newest.get(key)
    if (earlier !== undefined) replaced++
    if (earlier === undefined || (earlier.row.status === 'failed' && selected.row.status !== 'failed'))
      newest.set(key, selected)
  }
  const notes = notesOf({
    [`${count(replaced, 'older grade of the same question by the same judge is', 'older grades of the same question by the same judge are')} left out`]:
      replaced > 0,
  })
  return { ...sorted.collected, selected: [...newest.values()], notes }
}

async function findInBatch(
  stores: BatchStores,
  { batch, ...filter }: Parameters<typeof fitsTrial>[1] & { readonly batch: string },
  sorted: Sorted,
): Promise<SelectedTrials> {
  const all: UnreviewedTrial[] = []
  let ended = 0
  for await (const trial of readBatchTrials(stores, batch)) {
    ended++
    const metadata = trial.item.request.metadata ?? {}
    const selected = fitsTrial(trial, filter) ? sorted.take(trialInBatch(trial, sorted.groupBy), metadata) : null
    if (selected !== null) all.push(selected)
  }
  const total = (await stores.batches.get(batch))?.counts.total ?? 0
  const again = all.length - new Set(all.map(({ question, row }) => `${question}/${row.judge}`)).size
  const notes = notesOf({
    [`${total - ended} of the ${count(total, 'trial')} of the batch ${total - ended === 1 ? 'has not ended: it is' : 'have not ended: they are'} not counted`]:
      ended < total,
    [`${count(again, 'trial of the batch is the same, byte for byte, as another', 'trials of the batch are the same, byte for byte, as others')} of it: each counts`]:
      again > 0,
  })
  return { ...sorted.collected, selected: all, notes }
}

type Sorted = ReturnType<typeof sortTrials>

/** Separates trials that fit the variant from Terminal-Bench runs. */
function sortTrials(variant: string | undefined, groupBy: string) {
  const [judges, rubrics, fields] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const collected = { judges, rubrics, fields, baselines: new Map<string, BaselineRun>() }
  return {
    collected,
    groupBy,
    take(selected: UnreviewedTrial, metadata: Grade['metadata']): UnreviewedTrial | null {
      if (isBaseline(selected) && variant !== BASELINE_VARIANT) {
        takeBaseline(collected.baselines, selected)
        return null
      }
      if (variant !== undefined && selected.row.variant !== variant) return null
      judges.add(selected.row.judge)
      rubrics.add(selected.rubric)
      for (const [name, value] of Object.entries(metadata)) if (value !== null) fields.add(name)
      return selected
    },
  }
}

/** Recognizes a Terminal-Bench run of a rubric with TAB's figures; other rubrics grade such runs like any other. */
const isBaseline = ({ row, rubric }: UnreviewedTrial): boolean =>
  row.variant === BASELINE_VARIANT && hasAlignment(rubric)

function takeBaseline(baselines: SelectedTrials['baselines'], { question, row }: UnreviewedTrial): void {
  if (baselines.has(question)) return
  const { agent, model, task, run_index, resolved } = row
  baselines.set(question, { agent, model, task, run_index, resolved })
}

const trialOf = ({ grade, signals }: StandingGrade, groupBy: string): UnreviewedTrial => ({
  question: questionOf(grade),
  grade_id: grade.id,
  truth: grade.receipt.ground_truth,
  given: null,
  rubric: grade.receipt.rubric,
  row: rowOf(grade.receipt.judge, grade, grade, groupBy, {
    run: grade.receipt.trajectory,
    metadata: grade.metadata,
    signals,
  }),
})

const trialInBatch = ({ item, grade, question, judge, rubric }: BatchTrial, groupBy: string): UnreviewedTrial => ({
  question,
  grade_id: item.grade_id,
  truth: question.split('/')[1] ?? '',
  given: Object.keys(item.request.ground_truth),
  rubric,
  row: rowOf(judge, item, grade, groupBy, {
    run: item.trajectory,
    metadata: item.request.metadata ?? {},
    signals: item.request.ground_truth.signals ?? {},
  }),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

function rowOf(
  judge: string,
  { status, label, failure }: Pick<BatchTrial['item'], 'status' | 'label' | 'failure'>,
  grade: Grade | null,
  groupBy: string,
  trial: { readonly run: string; readonly metadata: Grade['metadata']; readonly signals: Signals },
): TrialRow {
  const metadata: Readonly<Record<string, unknown>> = trial.metadata
  return {
    judge,
    judge_model: grade?.receipt.model_requested ?? null,
    agent: textOf(metadata['agent']),
    model: textOf(metadata['model']),
    variant: textOf(metadata['variant']),
    task: textOf(metadata['task']),
    key: keyOf(groupBy, judge, label === null ? null : grade, metadata),
    run: trial.run,
    run_index: trial.metadata.run_index ?? null,
    status,
    failure: failure?.code ?? null,
    label,
    claims: label === null ? unclearIn(claimsOf(grade)) : claimsOf(grade),
    given: [],
    citations: grade === null ? [] : grade.citations.map((citation) => citation.status),
    confidence: grade?.confidence.reported ?? null,
    contradicted: (grade?.contradictions.length ?? 0) > 0,
    unread: grade?.receipt.unread === undefined ? null : grade.receipt.unread.records > 0,
    appeared: trial.signals.appeared ?? null,
    executed: trial.signals.executed ?? null,
    resolved: trial.signals.resolved ?? null,
    conflicting_reward: metadata['conflicting_reward'] === true,
    terminal_bench_resolved: flagOf(metadata['terminal_bench_resolved']),
    review: null,
  }
}

/** Returns the group of a trial: the judge, the observed category of surface, or a field of the metadata as a text. */
function keyOf(
  by: string,
  judge: string,
  graded: Grade | null,
  metadata: Readonly<Record<string, unknown>>,
): string | null {
  if (by === 'judge') return judge
  if (by === 'surface' && graded?.surface) return graded.surface.observed ? graded.surface.category : null
  const value = Object.hasOwn(metadata, by) ? metadata[by] : null
  return value === null || value === undefined ? null : String(value)
}

/** Returns the scalar claims of a grade. Old grades have the claims of the then only rubric, by group. Lists have no share. */
function claimsOf(grade: Grade | null): TrialRow['claims'] {
  if (grade === null) return {}
  const { surface, cue, distractor } = grade
  const groups = Object.entries({ surface, cue, distractor }).flatMap(([group, values]) =>
    Object.entries(values ?? {}).map(([name, value]): [string, Scalar] => [`${group}.${name}`, value]),
  )
  const claims = Object.entries(grade.claims ?? Object.fromEntries(groups))
  return Object.fromEntries(claims.flatMap(([id, value]) => (isScalar(value) ? [[id, value]] : [])))
}

const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== 'object'

const unclearIn = (claims: TrialRow['claims']): TrialRow['claims'] =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value === null))
