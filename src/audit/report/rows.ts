import { claimsOfGrade, claimsOfOutcome } from '../../domain/rubric/claims.ts'
import type { Rubric, Scalar } from '../../domain/rubric/rubric.ts'
import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import type { Report } from '../../schemas/report.ts'
import type { Review } from '../../schemas/review.ts'
import { type FailureCode, type Label, rubricIdOf, TAB_BEHAVIOR } from '../../schemas/vocabulary.ts'
import { nameIn, type Trial } from '../trials.ts'

/** The members of a rubric that a report needs. */
export type ReportRubric = Pick<Rubric, 'name' | 'claims' | 'outcome'>

/** Tells whether the reports of a rubric have the figures of TAB, too. */
export const hasAlignment = (rubric: string): boolean => rubricIdOf(rubric) === TAB_BEHAVIOR

/** Lists the labels of a rubric in its order, then given labels that it lacks. Empty for a numeric outcome. */
export const labelsOf = ({ outcome }: ReportRubric, given: readonly (Label | null)[]): Label[] =>
  outcome.kind === 'sum' ? [] : [...new Set([...outcome.labels, ...given.flatMap((label) => label ?? []).sort()])]

/** One trial as one judge graded it, in the members that a report needs: small, and fit for another process. Null is unknown. */
export interface TrialRow extends Readonly<ReturnType<typeof rowOf>> {
  /** The instructions of its ground truth. */
  readonly given: readonly string[]
  readonly review: TrialReview | null
}

/** Makes the row of a trial, without its ground truth and reviews; `groupBy`: `judge`, `surface`, `none`, or a field of the metadata. */
export function rowOf(trial: Trial, groupBy: string) {
  const { question, judge, status, failure, label, grade } = trial
  const { appeared = null, executed = null, resolved = null } = trial.signals
  const metadata: Readonly<Record<string, unknown>> = trial.metadata
  const baseline = metadata['terminal_bench_resolved']
  const conflicting_reward = metadata['conflicting_reward'] === true
  return {
    ...{ judge, status, label, failure: failure?.code ?? null, appeared, executed, conflicting_reward },
    judge_model: grade?.receipt.model_requested ?? null,
    evidence_version: grade?.receipt.versions.evidence ?? null,
    agent: nameIn(metadata['agent']),
    model: nameIn(metadata['model']),
    variant: nameIn(metadata['variant']),
    task: nameIn(metadata['task']),
    key: groupOf(trial, groupBy),
    // The trajectory: two trials with the same value graded the same bytes.
    run: question.slice(0, question.indexOf('/')),
    run_index: trial.metadata.run_index ?? null,
    claims: claimsIn(trial),
    citations: grade?.citations.map((citation) => citation.status) ?? [],
    confidence: grade?.confidence.reported ?? null,
    contradicted: (grade?.contradictions.length ?? 0) > 0,
    // Null where the grade’s version did not count.
    unread: grade?.receipt.unread === undefined ? null : grade.receipt.unread.records > 0,
    resolved: conflicting_reward ? null : resolved,
    terminal_bench_resolved: typeof baseline === 'boolean' ? baseline : null,
  }
}

/** Returns all claims of a graded trial, and the unclear claims of another, by id; lists have no share. */
function claimsIn({ grade, label }: Trial): Readonly<Record<string, Scalar>> {
  const claims = Object.entries((grade && claimsOfGrade(grade)) ?? {}).filter(
    (claim): claim is [string, Scalar] => claim[1] === null || (label !== null && typeof claim[1] !== 'object'),
  )
  return Object.fromEntries(claims)
}

/** Returns the group of a trial: the judge, the observed category of surface, or a field of the metadata as a text. */
function groupOf({ judge, rubric, label, grade, metadata }: Trial, by: string): string | null {
  if (by === 'judge') return judge
  const surface = grade?.surface
  if (by === 'surface' && (surface || hasAlignment(rubric)))
    return label !== null && surface?.observed ? surface.category : null
  return nameIn(String(Object.entries(metadata).find(([name]) => name === by)?.[1] ?? ''))
}

/**
 * Settles a question by the newest review of each rater: the label that more than half of them gave, undecided raters included, and each claim likewise; null
 * without one. `grade`: the id of the grade whose label is corrected, or null: of a sample stratified by another grade's label only the chance holds.
 */
export function settleReviews(standing: readonly Review[], rubric: ReportRubric, grade: string | null, all = standing) {
  const human = majority(standing.map(({ label }) => label)) ?? null
  if (human === null) return null
  // The sampling of a question stays true when its label is replaced: the sample must not lose contested questions.
  const samplings = new Map(
    all.map(({ sampling, grade_id }) => {
      const { design, probability = null } = sampling ?? { design: 'chosen' }
      const is_stale = design === 'stratified' && grade_id !== grade
      const drawn = { design: is_stale && probability === null ? 'chosen' : design, probability, is_stale } as const
      return [JSON.stringify(drawn), drawn]
    }),
  )
  const blind = standing.every((review) => review.blind)
  return { human, claims: settleClaims(standing, rubric), samplings: [...samplings.values()] as const, blind }
}

/** The human reviews of a trial, settled to one label. `is_stale`: the strata of the sampling were labels of a grade that another has replaced. */
export type TrialReview = NonNullable<ReturnType<typeof settleReviews>>

/** Returns the value of more than half of the values; undefined without one. */
const majority = <T>(values: readonly T[]): T | undefined =>
  [...new Set(values)].find((value) => values.filter((other) => other === value).length * 2 > values.length)

/** Settles the claims: a reviewer's label decides a claim, else the review's own claims. */
function settleClaims(standing: readonly Review[], rubric: ReportRubric) {
  const stated = ({ label, claims }: Review) => ({ ...claims, ...(label !== null && claimsOfOutcome(rubric, label)) })
  const answers = standing.map((review) => new Map<string, Scalar>(Object.entries(stated(review))))
  return Object.fromEntries(
    rubric.claims.flatMap(({ id }) => {
      const value = majority(answers.map((answer) => answer.get(id)))
      return value === undefined ? [] : [[id, value]]
    }),
  )
}

/** A run of the task on Terminal-Bench: variant `terminal-bench`. */
export type BaselineRun = Pick<TrialRow, 'agent' | 'model' | 'task' | 'run_index' | 'resolved'>

/** The trials of a report, and all that is known of their selection. */
export interface ReportInput extends Pick<Report, 'evidence_agreement' | 'notes'> {
  readonly trials: readonly TrialRow[]
  readonly baselines: readonly BaselineRun[]
  /** The fields of the metadata of the trials. */
  readonly fields: readonly string[]
  readonly rubric: ReportRubric
  /** The name of the rubric of the grades; null without a grade. */
  readonly found: string | null
}

/** The members by which trials depend on each other; `run`: null for a run unlike any other. */
export interface Related {
  readonly task: string | null
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

/** Counts trials by status, and failed trials by code, too. */
export function countEnds(trials: Iterable<Pick<TrialRow, 'status' | 'failure'>>) {
  const counts = { graded: 0, unverified: 0, failed: 0, cancelled: 0 }
  const failures: Partial<Record<FailureCode, number>> = {}
  for (const { status, failure } of trials) {
    counts[status]++
    if (failure !== null) failures[failure] = (failures[failure] ?? 0) + 1
  }
  return { ...counts, failures }
}

/** Counts pairs of labels in a matrix with a row for each first and a column for each second label; the labels include every label of the pairs. */
export function countPairs(pairs: readonly (readonly [Label, Label])[], labels: readonly Label[]): number[][] {
  const byCell = Map.groupBy(pairs, (pair) => JSON.stringify(pair))
  return labels.map((row) => labels.map((column) => byCell.get(JSON.stringify([row, column]))?.length ?? 0))
}
