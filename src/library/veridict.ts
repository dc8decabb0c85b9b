/// <reference lib="esnext.disposable" preserve="true" />
import { Readable } from 'node:stream'
import type { Query } from '../client/calls.ts'
import type * as api from '../client/contract.ts'
import { ServiceError } from '../client/errors.ts'
import type { CallOptions } from '../client/persist.ts'
import type { AgreementCall } from '../schemas/agreement.ts'
import type { BatchItem, BatchOptions } from '../schemas/batch.ts'
import type { DispositionRequest, SignoffRequest } from '../schemas/findings.ts'
import type { RegradeRequest } from '../schemas/regrade.ts'
import type { ReviewRequest } from '../schemas/review.ts'
import type { GradeRequest } from '../schemas/trial.ts'

export type { CallOptions }

/**
 * The one way in: grades, batches and reports, in this process (`openVeridict`, `local`) or of a running service (`remote`). Both give the same
 * answers and the same errors.
 *
 * Every function throws a `ServiceError` for a refusal, in this process, too, with `code`, `status` and the wrong places; `remote` also throws an `UnreachableError` without an answer. A signal ends a call with its reason; paid work goes on and is kept.
 */
export interface Veridict {
  /** Grades one trial. A failed judge is a grade with `status: "failed"`, a `failure` and no label. */
  grade(request: GradeRequest, options?: CallOptions): Promise<api.Grade>
  /**
   * Grades many trials, and yields the items in the order of the requests. The loop reads at most twice `concurrency` requests ahead of the caller, so
   * both may be endless. A refused request is an item with its error; the others go on. A loop that is left, or whose signal aborts, begins
   * nothing more; `close` waits for the grades in flight.
   *
   * @throws errors of `requests`, and the reason of the signal
   */
  gradeMany(requests: Items<GradeRequest>, options?: GradeManyOptions): AsyncIterableIterator<GradedItem>
  readGrade(id: string, options?: CallOptions): Promise<api.Grade>
  /** Reads the result of all judges of the question of a grade. */
  panel(id: string, options?: CallOptions): Promise<api.Panel['result']>
  /** Lists the calls behind a grade, with the provider’s raw replies. */
  calls(id: string, options?: CallOptions): Promise<readonly api.LedgerEntry[]>
  /** Reads the names by which stored grades can be selected. */
  overview(): Promise<api.GradeOverview>
  uploadTrajectory(document: Record<string, unknown>, options?: CallOptions): Promise<api.TrajectorySummary>

  /** Stores a batch, whole or not at all, and begins it. Reads each item once. */
  createBatch(items: Items<BatchItem | ReadItem>, options?: CreateOptions): Promise<api.Batch>
  /** Computes the calls, tokens and cost of a batch. Stores nothing, and asks no judge. */
  estimateBatch(items: Items<BatchItem | ReadItem>, options?: CreateOptions): Promise<api.BatchEstimate>
  batch(id: string, options?: CallOptions): Promise<api.Batch>
  /** Lists batches, newest first. */
  batches(query?: Query<'listBatches'>): Promise<api.BatchPage>
  cancel(id: string): Promise<api.Batch>
  /** Goes on with a parked batch, or with a batch that no process runs. */
  resume(id: string): Promise<api.Batch>
  /** Yields the ended items in item order; with `wait` until no item ends by itself any more. */
  results(id: string, options?: CallOptions & { readonly wait?: boolean }): AsyncGenerator<api.BatchResult>
  /** Yields the states of a batch as they change, until nothing more happens by itself; the last state comes last. */
  events(id: string, options?: CallOptions): AsyncGenerator<api.Batch>
  /** Yields every call of the batch, with the provider’s raw replies. */
  batchCalls(id: string, options?: CallOptions): AsyncGenerator<api.BatchCall>
  batchRubrics(id: string, options?: CallOptions): Promise<readonly api.Rubric[]>

  /** Grades stored grades again, as a batch. */
  regrade(request: Omit<RegradeRequest, 'dry_run'>): Promise<api.Batch>
  estimateRegrade(request: Omit<RegradeRequest, 'dry_run'>): Promise<api.BatchEstimate>
  /** Compares two batches, or a re-grade with the grades before, label against label. */
  compare(query: Query<'compareBatches'>): Promise<api.Comparison>
  report(query?: JsonQuery<'getReport'>): Promise<api.Report>
  /** Computes the agreement of given ratings, or of stored raters, with intervals. */
  agreement(call: AgreementCall): Promise<api.Agreement>
  /** Lists questions on which not all agree, the most telling first. */
  disagreements(query?: JsonQuery<'listDisagreements'>): Promise<api.DisagreementPage>
  /** Lists reviews, newest first. */
  reviews(query?: JsonQuery<'listReviews'>): Promise<api.ReviewPage>
  /** Reads the findings of a batch in classes, or of one class, with their dispositions and the sign-off. */
  findings(batch: string, query?: Query<'readFindings'>): Promise<api.Findings>
  /** Stores a person’s decision about a class of findings. */
  dispose(batch: string, disposition: DispositionRequest): Promise<api.Disposition>
  /** Signs the results and findings of a batch. Throws while a class is open, and before the end of the batch. */
  signOff(batch: string, signoff: SignoffRequest): Promise<api.Signoff>
  /** Stores the review of a grade by a person. */
  review(gradeId: string, review: ReviewRequest): Promise<api.Review>

  listJudges(): Promise<api.JudgeList>
  listRubrics(): Promise<readonly api.Rubric[]>
  /** Reads a rubric and its prompt, by id@version or by id for its newest version. */
  readRubric(id: string, options?: CallOptions): Promise<api.Rubric>
  /** Waits for the work in flight, then closes the database. Batches rest until they are resumed. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Veridict within this process. */
export interface LocalVeridict extends Veridict {
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

/** The query of an operation that can also answer a table. */
export type JsonQuery<N extends 'getReport' | 'listDisagreements' | 'listReviews'> = Omit<Query<N>, 'format'>

/** An item with its trajectory as a reader of formats made it, so that it is not read again; null: not read. */
export interface ReadItem {
  readonly item: BatchItem
  readonly trajectory: { readonly id: string; readonly steps: readonly object[] } | null
}

/** Options of a batch. */
export type CreateOptions = Omit<BatchOptions, 'dry_run'> & CallOptions

export interface GradeManyOptions extends CallOptions {
  /** Trials in flight: 1 to 1000, 8 by default. The configuration of a judge limits its calls. */
  readonly concurrency?: number
}

type Graded = { readonly ok: true; readonly grade: api.Grade } | { readonly ok: false; readonly error: ServiceError }
/** `index` counts from 0, in the order of the requests. */
export type GradedItem = { readonly index: number } & Graded

const CONCURRENCY = 8
const MOST_CONCURRENCY = 1000

/** Implements `Veridict.gradeMany`. Errors of `grade` other than a ServiceError end the loop. */
export async function* gradeMany(
  grade: (request: GradeRequest, options: CallOptions) => Promise<api.Grade>,
  requests: Items<GradeRequest>,
  { concurrency = CONCURRENCY, signal }: GradeManyOptions = {},
): AsyncGenerator<GradedItem, void, undefined> {
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_CONCURRENCY))
    throw new RangeError(`concurrency must be a whole number from 1 to ${MOST_CONCURRENCY}`)
  signal?.throwIfAborted()
  const gradeOne = async (request: GradeRequest): Promise<Graded> => {
    try {
      return { ok: true, grade: await grade(request, { signal }) }
    } catch (error) {
      if (error instanceof ServiceError) return { ok: false, error }
      throw error
    }
  }
  let index = 0
  try {
    for await (const graded of Readable.from(requests).map(gradeOne, { concurrency, ...(signal && { signal }) }))
      yield { index: index++, ...(graded as Graded) }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}
