import { type CallsOptions, createCalls, type Given, type Items, makeKey } from './calls.ts'
import type { Batch, BatchEstimate, BatchItem, BatchResult, Grade } from './contract.ts'
import { ServiceError, strangeAnswer, UnreachableError, VeridictError } from './errors.ts'
import { type CallOptions, followBatch, isSettled, persist, type RetryPolicy, retrying } from './persist.ts'

export type { Answer } from './calls.ts'
export type * from './contract.ts'
export type { CallOptions, Given, Items, RetryPolicy }
export { isSettled, ServiceError, UnreachableError, VeridictError }

/** Options of a client. `timeoutMs` is 15 minutes by default. */
export type ClientOptions = Omit<CallsOptions, 'headers'>

export type GradeRequest = Given<'createGrade'>['body']

export interface GradeOptions extends CallOptions {
  /** The first success under this key is stored, and replayed to the same request. */
  readonly idempotencyKey?: string
}

/**
 * The outcome of a grade, told apart by `status`: `graded`, with a label; `unverified`, whose evidence does not hold; or `failed`, no verdict
 * of a failed judge. The service has stored a failed grade, with every call, under `id`: `readGrade` reads it. Its `failure` has the reason,
 * whether the same request can succeed later, and after how many seconds.
 */
export type GradeOutcome = GivenGrade | FailedGrade
export type GivenGrade = Grade & { readonly status: 'graded' | 'unverified' }
export type FailedGrade = Pick<Grade, 'id'> & { readonly status: 'failed'; readonly label: null } & {
  readonly claimed_label: null
  readonly failure: NonNullable<Grade['failure']>
}

/** Options of a batch, with the cap of its cost. `key`: the same key is the same batch. */
export type BatchOptions = Omit<NonNullable<Given<'createBatch'>['query']>, 'dry_run'> & CallOptions

export interface ResultOptions extends CallOptions {
  /** False: only the results so far. Default: until nothing more ends by itself. */
  readonly wait?: boolean
}

const TIMEOUT_MS = 900_000

/**
 * A client of a Veridict service, for Node.js, Deno, Bun and browsers: it needs `fetch` and nothing else.
 *
 * Every function throws a `ServiceError` for a refusal of the service (with `code`, `status` and the wrong places), an `UnreachableError`
 * without an answer, and the reason of a signal that ends it.
 */
export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const { baseUrl } = options
  const { call, lines, upload, policy } = createCalls({ timeoutMs: TIMEOUT_MS, ...options })

  const readBatch = (id: string, options: CallOptions = {}): Promise<Batch> =>
    call('getBatch', { path: { id } }, options)

  /** Finds the newest batch with this key that was not cancelled. */
  async function findBatch(key: string, { signal }: CallOptions = {}): Promise<Batch | null> {
    const { items } = await call('listBatches', { query: { key } }, { signal })
    return items.find(({ status }) => status !== 'cancelled' && status !== 'cancelling') ?? null
  }

  return {
    call,

    /**
     * Grades one trajectory. A failed judge is no exception: `status` of the outcome is `failed`, and its `failure` has the reason and when to
     * try again. A request that is sent again after a broken connection is paid for once.
     */
    async grade(body: GradeRequest, { signal, idempotencyKey }: GradeOptions = {}): Promise<GradeOutcome> {
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      try {
        const grade = await call('createGrade', { body, headers }, { signal })
        if (grade?.status !== 'graded' && grade?.status !== 'unverified')
          throw strangeAnswer('not_a_grade', `${baseUrl} answered something that is no grade`)
        return grade as GivenGrade
      } catch (error) {
        const failed = error instanceof ServiceError ? failedGrade(error) : null
        if (failed === null) throw error
        return failed
      }
    },

    /** Reads a stored grade of any status. */
    readGrade: (id: string, options: CallOptions = {}): Promise<Grade> => call('getGrade', { path: { id } }, options),

    /**
     * Starts a batch; resolves once all items are stored. The items are sent while they are read, so that any number fits in memory (browsers
     * cannot send a stream, and hold the items). One fault refuses the whole batch, and `errors` of the `ServiceError` names its place, like
     * `/items/41/ground_truth/cue`.
     *
     * With a `key`, an existing batch of the key that was not cancelled is the answer, and no item is read. Items in an array, or from a
     * function, are sent again to a busy service or after a broken connection; other items cannot be read twice.
     */
    async batch(items: Items<BatchItem>, { signal, ...query }: BatchOptions = {}): Promise<Batch> {
      const known = query.key === undefined ? null : await findBatch(query.key, { signal })
      if (known !== null) return known
      const key = query.key ?? makeKey()
      const sendOnce = () =>
        upload<Batch>(items, { ...query, key }, signal).catch(async (error: unknown) => {
          // The batch may be stored, and only its answer lost.
          const stored = error instanceof UnreachableError ? await findBatch(key, { signal }).catch(() => null) : null
          if (stored === null) throw error
          return stored
        })
      const canRepeat = Array.isArray(items) || typeof items === 'function'
      return canRepeat ? retrying(policy, { signal, canRepeat }, sendOnce) : sendOnce()
    },

    /** Estimates a batch; no judge is asked and nothing is kept. */
    estimate: (items: Items<BatchItem>, { signal, ...query }: BatchOptions = {}): Promise<BatchEstimate> =>
      upload(items, { ...query, dry_run: true }, signal),

    findBatch,
    readBatch,
    cancelBatch: (id: string, options: CallOptions = {}): Promise<Batch> =>
      call('cancelBatch', { path: { id } }, options),
    /** Lets a parked batch go on. */
    resumeBatch: (id: string, options: CallOptions = {}): Promise<Batch> =>
      call('resumeBatch', { path: { id } }, options),

    /** Yields the states of a batch until nothing more happens by itself; the last state comes last. Broken connections are opened again. */
    progress: (id: string, { signal }: CallOptions = {}): AsyncGenerator<Batch> => followBatch(readBatch, id, signal),

    /**
     * Yields the results of a batch in the order of its items: each result once, and all of them, also over broken connections. Leaving the loop
     * ends the request.
     */
    results(id: string, { signal, wait = true }: ResultOptions = {}): AsyncGenerator<BatchResult> {
      // A stream that is opened again begins with the results that were yielded before.
      const seen = new Set<number>()
      let wasSettled = false
      return persist(async function* (answered) {
        const given = { path: { id }, query: wait ? { wait } : {} }
        for await (const result of lines('readResults', given, signal, answered)) {
          const index = indexOf(result)
          if (!seen.has(index)) yield result as BatchResult
          seen.add(index)
        }
        if (!wait) return true
        // A service that stops ends its streams, too; and the batch may have ended since, on another service.
        const batch = await readBatch(id, { signal })
        const { total, pending, running } = batch.counts
        const isWhole = isSettled(batch) && (wasSettled || seen.size >= total - pending - running)
        wasSettled = isSettled(batch)
        return isWhole
      }, signal)
    },
  }
}

/** Makes the outcome of a failed judge; null: no judge failed, the service refused. */
function failedGrade({ gradeId, code, message, retryable, retryAfterS }: ServiceError): FailedGrade | null {
  if (gradeId === null) return null
  const failure = { code, message, retryable: retryable ?? false, retry_after_s: retryAfterS } as FailedGrade['failure']
  return { id: gradeId, status: 'failed', label: null, claimed_label: null, failure }
}

/** Reads the place of a result. Throws a `ServiceError` for a line without the place of an item. */
function indexOf(result: unknown): number {
  const { index } = (result ?? {}) as Partial<BatchResult>
  if (index === undefined || !Number.isSafeInteger(index) || index < 0)
    throw strangeAnswer('not_a_result', 'a line of the results is none')
  return index
}
