/// <reference lib="esnext.disposable" preserve="true" />
import type { CallOptions } from '../client/calls.ts'
import type { ServiceError } from '../client/errors.ts'
import type { Batch, BatchEstimate, BatchItem, BatchOptions, BatchResult } from '../schemas/batch.ts'
import type { Grade, LedgerEntry } from '../schemas/grade.ts'
import type {
  ReportQuery as AllReports,
  ReviewQuery as AllReviews,
  ComparisonQuery,
  QueueQuery,
} from '../schemas/queries.ts'
import type { Comparison, RegradeRequest } from '../schemas/regrade.ts'
import type { Report } from '../schemas/report.ts'
import type { Disagreement, PanelResult, Review, ReviewRequest } from '../schemas/review.ts'
import type { RubricView } from '../schemas/rubric.ts'
import type { AgreementAnswer, AgreementCall } from '../schemas/stored-agreement.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import type { GradeOverview, JudgeView, TrajectorySummary } from '../schemas/views.ts'
import type { BatchStatus } from '../schemas/vocabulary.ts'

/**
 * The one way in: grades, batches and reports, in this process (`openVeridict`, `local`) or of a running service (`remote`). Both give the same
 * answers and the same errors.
 *
 * Every function throws a `ServiceError` for a refusal, in this process, too, with `code`, `status` and the wrong places; `remote` also throws an `UnreachableError` without an answer. A signal ends a call with its reason; paid work goes on and is kept.
 */
export interface Veridict {
  /** Grades one trial. A failed judge is a grade with `status: "failed"`, a `failure` and no label. */
  grade(request: GradeRequest, options?: CallOptions): Promise<Grade>
  /**
   * Grades many trials, and yields the items in the order of the requests. The loop reads at most twice `concurrency` requests ahead of the caller, so
   * both may be endless. A refused request is an item with its error; the others go on. A loop that is left, or whose signal aborts, begins
   * nothing more; `close` waits for the grades in flight.
   *
   * @throws errors of `requests`, and the reason of the signal
   */
  gradeMany(requests: Items<GradeRequest>, options?: GradeManyOptions): AsyncIterableIterator<GradedItem>
  readGrade(id: string, options?: CallOptions): Promise<Grade>
  /** Reads the result of all judges of the question of a grade; null where the service gives none. */
  panel(id: string, options?: CallOptions): Promise<PanelResult | null>
  /** Lists the calls behind a grade, with the provider’s raw replies. */
  calls(id: string, options?: CallOptions): Promise<readonly LedgerEntry[]>
  /** Reads the names by which stored grades can be selected. */
  overview(): Promise<GradeOverview>
  uploadTrajectory(document: Record<string, unknown>, options?: CallOptions): Promise<TrajectorySummary>

  /** Stores a batch, whole or not at all, and begins it. Reads each item once. */
  createBatch(items: Items<BatchItem | ReadItem>, options?: CreateOptions): Promise<Batch>
  /** Computes the calls, tokens and cost of a batch. Stores nothing, and asks no judge. */
  estimateBatch(items: Items<BatchItem | ReadItem>, options?: CreateOptions): Promise<BatchEstimate>
  batch(id: string, options?: CallOptions): Promise<Batch>
  /** Lists batches, newest first. */
  batches(query?: BatchQuery): Promise<Page<Batch>>
  cancel(id: string): Promise<Batch>
  /** Goes on with a parked batch, or with a batch that no process runs. */
  resume(id: string): Promise<Batch>
  /** Yields the ended items in item order; with `wait` until no item ends by itself any more. */
  results(id: string, options?: CallOptions & { readonly wait?: boolean }): AsyncGenerator<BatchResult>
  /** Yields the states of a batch as they change, until nothing more happens by itself; the last state comes last. */
  events(id: string, options?: CallOptions): AsyncGenerator<Batch>
  /** Yields every call of the batch, with the provider’s raw replies. */
  batchCalls(id: string, options?: CallOptions): AsyncGenerator<LedgerEntry & { readonly grade_id: string | null }>
  batchRubrics(id: string, options?: CallOptions): Promise<readonly RubricView[]>

  /** Grades stored grades again, as a batch. */
  regrade(request: Omit<RegradeRequest, 'dry_run'>): Promise<Batch>
  estimateRegrade(request: Omit<RegradeRequest, 'dry_run'>): Promise<BatchEstimate>
  /** Compares two batches, or a re-grade with the grades before, label against label. */
  compare(query: ComparisonQuery): Promise<Comparison>
  report(query?: ReportQuery): Promise<Report>
  /** Makes the report as a CSV, with a row for each figure. */
  reportCsv(query?: ReportQuery): Promise<string>
  /** Computes the agreement of given ratings, or of stored raters, with intervals. */
  agreement(call: AgreementCall): Promise<AgreementAnswer>
  /** Lists questions on which not all agree, the most telling first. */
  disagreements(query?: DisagreementQuery): Promise<Page<Disagreement>>
  /** Lists reviews, newest first. */
  reviews(query?: ReviewQuery): Promise<Page<Review>>
  /** Stores the review of a grade by a person. */
  review(gradeId: string, review: ReviewRequest): Promise<Review>

  listJudges(): Promise<JudgeList>
  listRubrics(): Promise<readonly RubricView[]>
  /** Reads a rubric and its prompt, by id@version or by id for its newest version. */
  readRubric(id: string, options?: CallOptions): Promise<RubricView>
  /** Waits for the work in flight, then closes the database. Batches rest until they are resumed. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Veridict within this process. */
export interface LocalVeridict extends Veridict {
  /** The loaded rubrics, without their prompts: `GET /v1/rubrics`. */
  readonly rubrics: readonly RubricView[]
  /** The configured judges: `GET /v1/judges`. */
  readonly judges: readonly JudgeView[]
  /** The limits of a trajectory. */
  readonly limits: { readonly max_steps: number; readonly max_part_chars: number }
  /** Whether services and workers on a PostgreSQL run the batches of this process. */
  readonly shares_batches: boolean
  /** Tells whether a process runs the open batches of the database. */
  hasRunner(): boolean
  /** Tells whether another process runs them. */
  runsElsewhere(): boolean
}

export type Items<T> = Iterable<T> | AsyncIterable<T>

/** An item with its trajectory as a reader of formats made it, so that it is not read again; null: not read. */
export interface ReadItem {
  readonly item: BatchItem
  readonly trajectory: { readonly id: string; readonly steps: readonly object[] } | null
}

/** Options of a batch. */
export type CreateOptions = Omit<BatchOptions, 'dry_run'> & CallOptions

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}
export interface BatchQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly key?: string
  readonly status?: BatchStatus
}
export type { CallOptions, ComparisonQuery }
export type ReportQuery = Omit<AllReports, 'format'>
export type DisagreementQuery = Omit<QueueQuery, 'format'>
export type ReviewQuery = Omit<AllReviews, 'format'>

export interface JudgeList {
  readonly items: readonly JudgeView[]
  /** Judges that lack their key, each with the remedy. */
  readonly not_configured?: readonly { readonly name: string; readonly default: boolean; readonly reason: string }[]
}

export interface GradeManyOptions extends CallOptions {
  /** Trials in flight: 1 to 1000, 8 by default. The configuration of a judge limits its calls. */
  readonly concurrency?: number
}

/** `index` counts from 0, in the order of the requests. */
export type GradedItem =
  | { readonly index: number; readonly ok: true; readonly grade: Grade }
  | { readonly index: number; readonly ok: false; readonly error: ServiceError }
