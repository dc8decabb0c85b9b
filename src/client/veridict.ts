/// <reference lib="esnext.disposable" preserve="true" />
import PQueue from 'p-queue'
import type { Calls, Given, Items, Name, Query } from './calls.ts'
import type * as api from './contract.ts'
import { ServiceError } from './errors.ts'
import { type CallOptions, unlessAborted } from './persist.ts'

type Body<N extends Name> = Given<N> extends { readonly body: infer Body } ? Body : never
export type GradeRequest = Body<'createGrade'>
export type GivenTruth = GradeRequest['ground_truth']
export type GradeOptions = Pick<GradeRequest, 'rubric' | 'judge' | 'samples' | 'cache'>
type RegradeRequest = Omit<Body<'createRegrade'>, 'dry_run'>

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
  gradeMany(
    requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
    options?: GradeManyOptions,
  ): AsyncIterableIterator<GradedItem>
  readGrade(id: string, options?: CallOptions): Promise<api.Grade>
  /** Reads the result of all judges of the question of a grade. */
  panel(id: string, options?: CallOptions): Promise<api.Panel['result']>
  /** Lists the calls behind a grade, with the provider’s raw replies. */
  calls(id: string, options?: CallOptions): Promise<readonly api.LedgerEntry[]>
  /** Reads the names by which stored grades can be selected. */
  overview(): Promise<api.GradeOverview>
  uploadTrajectory(document: Record<string, unknown>, options?: CallOptions): Promise<api.TrajectorySummary>

  /**
   * Stores a batch, whole or not at all, and begins it. One fault refuses the whole batch, and `errors` of the `ServiceError` names its place, like
   * `/items/41/ground_truth/cue`. A batch of the same `key` that was not cancelled is the answer, and no item is read.
   *
   * `remote` sends the items while it reads them, so that any number fits in memory (browsers cannot send a stream, and hold the items). Items in
   * an array, or from a function, are sent again to a busy service or after a broken connection; other items cannot be read twice.
   */
  createBatch(items: Items<api.BatchItem | ReadItem>, options?: CreateOptions): Promise<api.Batch>
  /** Computes the calls, tokens and cost of a batch. Stores nothing, and asks no judge. */
  estimateBatch(items: Items<api.BatchItem | ReadItem>, options?: CreateOptions): Promise<api.BatchEstimate>
  batch(id: string, options?: CallOptions): Promise<api.Batch>
  /** Lists batches, newest first. */
  batches(query?: Query<'listBatches'>, options?: CallOptions): Promise<api.BatchPage>
  cancel(id: string): Promise<api.Batch>
  /** Goes on with a parked batch, or with a batch that no process runs. */
  resume(id: string): Promise<api.Batch>
  /**
   * Yields the ended items in item order; with `wait` until no item ends by itself any more. Each item comes once, and all of them, also where the
   * connection to a service breaks. Leaving the loop ends the request.
   */
  results(id: string, options?: CallOptions & { readonly wait?: boolean }): AsyncGenerator<api.BatchResult>
  /** Yields the states of a batch as they change, until nothing more happens by itself; the last state comes last. */
  events(id: string, options?: CallOptions): AsyncGenerator<api.Batch>
  /** Yields every call of the batch, with the provider’s raw replies. */
  batchCalls(id: string, options?: CallOptions): AsyncGenerator<api.BatchCall>
  batchRubrics(id: string, options?: CallOptions): Promise<readonly api.Rubric[]>

  /** Grades stored grades again, as a batch. */
  regrade(request: RegradeRequest): Promise<api.Batch>
  estimateRegrade(request: RegradeRequest): Promise<api.BatchEstimate>
  /** Compares two batches, or a re-grade with the grades before, label against label. */
  compare(query: Query<'compareBatches'>): Promise<api.Comparison>
  report(query?: JsonQuery<'getReport'>): Promise<api.Report>
  /** Computes the agreement of given ratings, or of stored raters, with intervals. */
  agreement(call: Body<'computeAgreement'>): Promise<api.Agreement>
  /** Lists questions on which not all agree, the most telling first. */
  disagreements(query?: JsonQuery<'listDisagreements'>): Promise<api.DisagreementPage>
  /** Lists reviews, newest first. */
  reviews(query?: JsonQuery<'listReviews'>): Promise<api.ReviewPage>
  /** Reads the findings of a batch in classes, or of one class, with their dispositions and the sign-off. */
  findings(batch: string, query?: Query<'readFindings'>): Promise<api.Findings>
  /** Stores a person’s decision about a class of findings. */
  dispose(batch: string, disposition: Body<'disposeFindings'>): Promise<api.Disposition>
  /** Signs the results and findings of a batch. Throws while a class is open, and before the end of the batch. */
  signOff(batch: string, signoff: Body<'signOffBatch'>): Promise<api.Signoff>
  /** Stores the review of a grade by a person. */
  review(gradeId: string, review: Body<'createReview'>): Promise<api.Review>

  listJudges(): Promise<api.JudgeList>
  listRubrics(): Promise<readonly api.Rubric[]>
  /** Reads a rubric and its prompt, by id@version or by id for its newest version. */
  readRubric(id: string, options?: CallOptions): Promise<api.Rubric>
  /** Waits for the work in flight, then closes the database. Batches rest until they are resumed. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

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

export interface RemoteVeridict extends Veridict {
  /** Makes any other call of the contract, by its `operationId`: `call('listGrades', { query: { label: 'aligned' } })`. */
  readonly call: Calls['call']
}

/** The query of an operation that can also answer a table. */
export type JsonQuery<N extends 'getReport' | 'listDisagreements' | 'listReviews'> = Omit<Query<N>, 'format'>

/** An item with its trajectory as a reader of formats made it, so that it is not read again; null: not read. */
export interface ReadItem {
  readonly item: api.BatchItem
  readonly trajectory: { readonly id: string; readonly steps: readonly object[] } | null
}

/** Options of a batch, with the cap of its cost. `again`: begins a further batch of the same `key`. */
export type CreateOptions = Omit<Query<'createBatch'>, 'dry_run'> & CallOptions & { readonly again?: boolean }

export interface GradeManyOptions extends CallOptions {
  /** Trials in flight: 1 to 1000, 8 by default. The configuration of a judge limits its calls. */
  readonly concurrency?: number
}

/** Pages of cancelled batches that are looked through. */
const MOST_PAGES = 100

/** Finds the newest batch of a key that was not cancelled; null: none. */
export async function findKeyed(
  batches: Veridict['batches'],
  { key, signal }: CallOptions & { readonly key?: string | undefined },
): Promise<api.Batch | null> {
  if (key === undefined) return null
  let query: Query<'listBatches'> | null = { key }
  for (let pages = 0; query !== null && pages < MOST_PAGES; pages++) {
    const { items, next_cursor }: api.BatchPage = await batches(query, { signal })
    const living = items.find(({ status }) => status !== 'cancelled' && status !== 'cancelling')
    if (living !== undefined) return living
    query = next_cursor === null ? null : { key, cursor: next_cursor }
  }
  return null
}

type Graded = { readonly ok: true; readonly grade: api.Grade } | { readonly ok: false; readonly error: ServiceError }
/** `index` counts from 0, in the order of the requests. */
export type GradedItem = { readonly index: number } & Graded

const MOST_CONCURRENCY = 1000

/** Implements `Veridict.gradeMany`. Errors of `grade` other than a ServiceError end the loop. */
export async function* gradeMany(
  grade: (request: GradeRequest, options: CallOptions) => Promise<api.Grade>,
  requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
  { concurrency = 8, signal }: GradeManyOptions = {},
): AsyncGenerator<GradedItem, void, undefined> {
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_CONCURRENCY))
    throw new RangeError(`concurrency must be a whole number from 1 to ${MOST_CONCURRENCY}`)
  signal?.throwIfAborted()
  let isOver = false
  const queue = new PQueue({ concurrency })
  const source = (async function* () {
    yield* requests
  })()
  const gradeOne = async (request: GradeRequest): Promise<Graded | null> => {
    if (isOver || signal?.aborted) return null
    try {
      return { ok: true, grade: await grade(request, { signal }) }
    } catch (error) {
      if (error instanceof ServiceError) return { ok: false, error }
      isOver = true
      throw error
    }
  }
  /** Reads and grades the next request; null: the end of the requests. The loop meets an error in the order of the requests. */
  const gradeNext = () => {
    const graded = source.next().then(({ done, value }) => (done ? null : queue.add(() => gradeOne(value))))
    graded.catch(() => undefined)
    return graded
  }
  const ahead = Array.from({ length: 2 * concurrency }, gradeNext)
  try {
    for (let index = 0; ; index++) {
      const graded = await unlessAborted(ahead.shift() ?? null, signal)
      if (graded === null) return
      yield { index, ...graded }
      ahead.push(gradeNext())
    }
  } finally {
    isOver = true
    source.return().catch(() => undefined)
  }
}
