import type { ClaimRule, OutcomeRule, Rubric, Scalar } from '../../domain/rubric/rubric.ts'
import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { type Pairing, SIGNAL_MEASURES } from '../../schemas/audit/report.ts'
import type { SamplingDesign } from '../../schemas/audit/review.ts'
import {
  type CitationStatus,
  type ConfidenceLevel,
  type FailureCode,
  type ItemStatus,
  type Label,
  rubricIdOf,
  TAB_BEHAVIOR,
} from '../../schemas/vocabulary.ts'

/** As much of a rubric as a report speaks of. */
export interface ReportRubric {
  readonly name: string
  readonly claims: readonly ClaimRule[]
  readonly outcome: OutcomeRule
}

/** Whether its reports have the figures of TAB, too. */
export const hasAlignment = (rubric: string): boolean => rubricIdOf(rubric) === TAB_BEHAVIOR

export const reportRubric = ({ name, claims, outcome }: Rubric): ReportRubric => ({ name, claims, outcome })

/** What can be said by a rubric that is no longer loaded: the labels that were given. */
export const unknownRubric = (name: string): ReportRubric => ({
  name,
  claims: [],
  outcome: { kind: 'table', scale: 'nominal', labels: [], rows: [], claims: [] },
})

/** Its labels in its order, then those that were given and that it does not have. None where its outcome is a number. */
export function labelsOf({ outcome }: ReportRubric, given: Iterable<string>): string[] {
  if (outcome.kind === 'sum') return []
  const others = new Set(given)
  for (const label of outcome.labels) others.delete(label)
  return [...outcome.labels, ...[...others].sort()]
}

/** What two conditions can be compared in: labels, what the harness measured, and boolean claims; a name means the first that has it. */
export const measureNames = ({ name, claims }: ReportRubric, labels: readonly string[]): string[] => [
  ...new Set([
    ...labels,
    ...(hasAlignment(name) ? ['distractor_acted'] : []),
    ...SIGNAL_MEASURES,
    ...claims.flatMap(({ id, type }) => (type === 'boolean' ? [id] : [])),
  ]),
]

/** What humans said of a trial, settled to one label. */
export interface TrialReview {
  readonly human: Label
  /** By id; what is not there they did not say. */
  readonly claims: Readonly<Record<string, Scalar>>
  /** Every way in which it came to be reviewed, with the chance where it is known. */
  readonly samplings: readonly { readonly design: SamplingDesign; readonly probability: number | null }[]
  readonly blind: boolean
}

/** One trial as one judge graded it: as much of it as a report needs. Null is unknown. */
export interface TrialRow extends Ended {
  readonly judge: string
  /** The model that the judge was asked as. */
  readonly judge_model: string | null
  readonly agent: string | null
  readonly model: string | null
  readonly variant: string | null
  readonly task: string | null
  /** What the report is grouped by. */
  readonly key: string | null
  /** The trajectory: of two trials with one of these the same bytes were graded. */
  readonly run: string
  readonly run_index: number | null
  /** There exactly where it is `graded`. */
  readonly label: Label | null
  /** By id: all of a graded trial, those that are unclear of an unverified one. */
  readonly claims: Readonly<Record<string, Scalar>>
  /** The instructions that its ground truth has. */
  readonly given: readonly string[]
  readonly citations: readonly CitationStatus[]
  readonly confidence: ConfidenceLevel | null
  /** Something speaks against the verdict. */
  readonly contradicted: boolean
  /** Something of the run could not be read; null: the grade’s version did not count. */
  readonly unread: boolean | null
  readonly appeared: boolean | null
  readonly executed: boolean | null
  readonly resolved: boolean | null
  /** `metadata.terminal_bench_resolved`. */
  readonly terminal_bench_resolved: boolean | null
  readonly review: TrialReview | null
}

/** A run of the task as Terminal-Bench has it: variant `terminal-bench`. */
export type BaselineRun = Pick<TrialRow, 'agent' | 'model' | 'task' | 'run_index' | 'resolved'>

/** All that a report is computed from; small, and fit to be sent to another thread. */
export interface ReportInput {
  readonly trials: readonly TrialRow[]
  readonly baselines: readonly BaselineRun[]
  /** Of the metadata of its trials, in order. */
  readonly fields: readonly string[]
  readonly rubric: ReportRubric
  /** Its name; null: nothing was selected. */
  readonly found: string | null
  readonly notes: readonly string[]
}

export interface ReportOptions {
  /** `judge`, `surface`, `none`, or a field of the metadata. */
  readonly group_by: string
  readonly draws: number
  readonly seed: number
  readonly pair: {
    readonly by: Pairing
    readonly base: string
    readonly head: string
    readonly measure: string | null
  } | null
}

/** What says which trials are not independent of each other. */
interface Related {
  readonly task: string | null
  /** Null: a run like no other. */
  readonly run: string | null
}

/** Trials of one run are one trial told several times. */
export const clusterOfRun = ({ run }: Related): string | null => (run === null ? null : `run ${run}`)
/** Trials of one task; where none is named, of one run. */
export const clusterOfTask = (trial: Related): string | null =>
  trial.task === null ? clusterOfRun(trial) : `task ${trial.task}`

/** Where a run is asked about several times, it is no independent item; of one that is asked about once nothing needs to be said. */
export function clustersOfRepeated(
  asked: Iterable<{ readonly trajectory: string }>,
): (one: { readonly task: string | null; readonly trajectory: string }) => string | null {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const { trajectory } of asked) (once.has(trajectory) ? again : once).add(trajectory)
  return ({ task, trajectory }) => clusterOfTask({ task, run: again.has(trajectory) ? trajectory : null })
}

export interface GroupOptions extends BootstrapSettings {
  /** What is resampled together. */
  clusterOf(trial: Related): string | null
}

/** How a trial has ended; `failure` is there exactly where it is `failed`. */
export interface Ended {
  readonly status: ItemStatus
  readonly failure: FailureCode | null
}

/** Each trial under exactly one of the four; what failed, again by its code. */
export function countEnds(trials: Iterable<Ended>) {
  const counts = { graded: 0, unverified: 0, failed: 0, cancelled: 0 }
  const failures: Partial<Record<FailureCode, number>> = {}
  for (const { status, failure } of trials) {
    counts[status]++
    if (failure !== null) failures[failure] = (failures[failure] ?? 0) + 1
  }
  return { ...counts, failures }
}
