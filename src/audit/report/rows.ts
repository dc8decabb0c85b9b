import type { Rubric, Scalar } from '../../domain/rubric/rubric.ts'
import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import type { EvidenceAgreement } from '../../schemas/agreement.ts'
import { type Pairing, SIGNAL_MEASURES } from '../../schemas/report.ts'
import type { SamplingDesign } from '../../schemas/review.ts'
import type { CitationStatus, ConfidenceLevel, FailureCode, ItemStatus, Label } from '../../schemas/vocabulary.ts'
import { rubricIdOf, TAB_BEHAVIOR } from '../../schemas/vocabulary.ts'

/** The members of a rubric that a report needs. */
export type ReportRubric = Pick<Rubric, 'name' | 'claims' | 'outcome'>

/** Tells whether the reports of a rubric have the figures of TAB, too. */
export const hasAlignment = (rubric: string): boolean => rubricIdOf(rubric) === TAB_BEHAVIOR

export const reportRubric = ({ name, claims, outcome }: Rubric): ReportRubric => ({ name, claims, outcome })

/** Lists the labels of a rubric in its order, then given labels that it lacks. Empty for a numeric outcome. */
export function labelsOf({ outcome }: ReportRubric, given: readonly (Label | null)[]): Label[] {
  if (outcome.kind === 'sum') return []
  const others = new Set(given.flatMap((label) => (label === null || outcome.labels.includes(label) ? [] : [label])))
  return [...outcome.labels, ...[...others].sort()]
}

/** Lists the measures of a paired comparison: labels, measured signals, and boolean claims; a repeated name means the first. */
export const measureNames = ({ name, claims }: ReportRubric, labels: readonly string[]): string[] => [
  ...new Set([
    ...labels,
    ...(hasAlignment(name) ? ['distractor_acted'] : []),
    ...SIGNAL_MEASURES,
    ...claims.flatMap(({ id, type }) => (type === 'boolean' ? [id] : [])),
  ]),
]

/** The human reviews of a trial, settled to one label. */
export interface TrialReview {
  readonly human: Label
  /** Values by claim id; a claim that the reviewers left out is missing. */
  readonly claims: Readonly<Record<string, Scalar>>
  /** Every known sampling by which the trial came to be reviewed; `is_stale`: its strata were labels of a grade that another has replaced. */
  readonly samplings: readonly { design: SamplingDesign; probability: number | null; is_stale: boolean }[]
  readonly blind: boolean
}

/** One trial as one judge graded it, in the members that a report needs. Null is unknown. */
export interface TrialRow extends Ended, Related {
  readonly judge: string
  /** The model of the judge. */
  readonly judge_model: string | null
  /** The evidence rules that checked the grade. */
  readonly evidence_version: number | null
  readonly agent: string | null
  readonly model: string | null
  readonly variant: string | null
  /** The key of the trial's group. */
  readonly key: string | null
  /** The trajectory: two trials with the same value graded the same bytes. */
  readonly run: string
  readonly run_index: number | null
  /** Present exactly for a `graded` trial. */
  readonly label: Label | null
  /** Values by claim id: all claims of a graded trial, the unclear ones of an unverified trial. */
  readonly claims: Readonly<Record<string, Scalar>>
  /** The instructions of its ground truth. */
  readonly given: readonly string[]
  readonly citations: readonly CitationStatus[]
  readonly confidence: ConfidenceLevel | null
  /** True where a contradiction speaks against the verdict. */
  readonly contradicted: boolean
  /** True where a part of the run could not be read; null where the grade's version did not count. */
  readonly unread: boolean | null
  readonly appeared: boolean | null
  readonly executed: boolean | null
  readonly resolved: boolean | null
  /** `metadata.conflicting_reward`: result and files of the harness name different rewards. */
  readonly conflicting_reward: boolean
  /** `metadata.terminal_bench_resolved`. */
  readonly terminal_bench_resolved: boolean | null
  readonly review: TrialReview | null
}

/** A run of the task on Terminal-Bench: variant `terminal-bench`. */
export type BaselineRun = Pick<TrialRow, 'agent' | 'model' | 'task' | 'run_index' | 'resolved'>

/** The input of a report: small, and fit for another process. */
export interface ReportInput {
  readonly trials: readonly TrialRow[]
  readonly baselines: readonly BaselineRun[]
  /** Names of the trials' metadata fields, in order. */
  readonly fields: readonly string[]
  readonly rubric: ReportRubric
  /** The name of the rubric; null where no trial was selected. */
  readonly found: string | null
  readonly notes: readonly string[]
  readonly evidence_agreement: EvidenceAgreement
}

export interface ReportOptions extends BootstrapSettings {
  /** `judge`, `surface`, `none`, or a field of the metadata. */
  readonly group_by: string
  readonly pair: PairOptions | null
}

/** The one argument of a report, as a process receives it. */
export type ReportJob = { readonly input: ReportInput; readonly options: ReportOptions }

export interface PairOptions {
  readonly by: Pairing
  readonly base: string
  readonly head: string
  readonly measure: string | null
}

/** The members by which trials depend on each other. */
export interface Related {
  readonly task: string | null
  /** Null for a run unlike any other. */
  readonly run: string | null
}

/** Returns the cluster of a trial by its run: trials of one run are one trial told several times. */
export const clusterOfRun = ({ run }: Related): string | null => (run === null ? null : `run ${run}`)
/** Returns the cluster of a trial by its task; by its run where no task is named. */
export const clusterOfTask = (trial: Related): string | null =>
  trial.task === null ? clusterOfRun(trial) : `task ${trial.task}`

/** Returns the clusters of questions: those about the same run depend on each other; a run with a single question needs no cluster. */
export function clustersOfRepeated(asked: Iterable<{ readonly trajectory: string }>) {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const { trajectory } of asked) (once.has(trajectory) ? again : once).add(trajectory)
  return ({ task, trajectory }: { readonly task: string | null; readonly trajectory: string }): string | null =>
    clusterOfTask({ task, run: again.has(trajectory) ? trajectory : null })
}

export interface GroupOptions extends BootstrapSettings {
  /** Returns the cluster of trials that are resampled together. */
  clusterOf(trial: Related): string | null
}

/** The end of a trial; `failure` is present exactly for a `failed` trial. */
export interface Ended {
  readonly status: ItemStatus
  readonly failure: FailureCode | null
}

/** Counts trials by status, and failed trials by code, too. */
export function countEnds(trials: Iterable<Ended>) {
  const counts = { graded: 0, unverified: 0, failed: 0, cancelled: 0 }
  const failures: Partial<Record<FailureCode, number>> = {}
  for (const { status, failure } of trials) {
    counts[status]++
    if (failure !== null) failures[failure] = (failures[failure] ?? 0) + 1
  }
  return { ...counts, failures }
}
