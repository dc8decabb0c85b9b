import type { Batch } from './contract.ts'
import { ServiceError, UnreachableError } from './errors.ts'

export interface CallOptions {
  /** Ends the call, with its reason. */
  readonly signal?: AbortSignal | undefined
}

export interface RetryPolicy {
  /** Most tries of a call. */
  readonly tries: number
  /** Longest wait before a try. A call that is to wait longer, by the service’s own word, fails at once. */
  readonly longestWaitMs: number
}

/** Bounds a timer: Node.js fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Repeats a call that the service did not take (429, 503), and a repeatable call whose answer was lost, after the time of `Retry-After`, or
 * else after one, two, four seconds. A failed judge is an answer: its call is not repeated.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  { signal, canRepeat }: CallOptions & { readonly canRepeat: boolean },
  call: () => Promise<T>,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await call()
    } catch (error) {
      const mayRepeat = isLost(error) ? canRepeat : isRefusedForNow(error)
      if (signal?.aborted || !mayRepeat || made >= policy.tries) throw error
      const wait = waitAfter(error, 1000 * 2 ** (made - 1))
      if (wait > Math.min(policy.longestWaitMs, LONGEST_TIMER_MS)) throw error
      await sleep(wait, signal)
    }
  }
}

/** Returns the wait before the next try, in ms: the time of `Retry-After`, else `otherwise`. */
const waitAfter = (error: unknown, otherwise: number): number =>
  error instanceof ServiceError && error.retryAfterS !== null ? error.retryAfterS * 1000 : otherwise

/** Tells whether the service may have done the work all the same: the connection broke, or a proxy answered 502 or 504, without a failed judge. */
export const isLost = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  (error instanceof ServiceError && error.gradeId === null && (error.status === 502 || error.status === 504))

/** 409: a request with the same Idempotency-Key is in flight. */
const isRefusedForNow = (error: unknown): boolean =>
  error instanceof ServiceError && (error.passing ? error.gradeId === null : error.code === 'idempotency_key_in_use')

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** Time for which a silent service is asked again, before the error is thrown; a `Retry-After` behind it is not waited for. */
const PATIENCE_MS = 180_000

/**
 * Yields the values of a stream, opened again after it breaks or ends early: a service may restart, and its batch goes on. `open` calls
 * `answered` when the service answers, and returns whether the stream is complete. Throws the signal’s reason, the service’s refusal, or an
 * `UnreachableError` at the end of the patience.
 */
export async function* persist<T>(
  open: (answered: () => void) => AsyncGenerator<T, boolean>,
  signal?: AbortSignal,
): AsyncGenerator<T> {
  let wait = FIRST_WAIT_MS
  let silentSince: number | null = null
  for (;;) {
    let pause = 0
    const stream = open(() => {
      silentSince = null
    })
    try {
      let next = await stream.next()
      for (; next.done !== true; next = await stream.next()) {
        wait = FIRST_WAIT_MS
        silentSince = null
        yield next.value
      }
      if (next.value) return
    } catch (error) {
      const passes = error instanceof UnreachableError || (error instanceof ServiceError && error.passing)
      if (signal?.aborted || !passes) throw error
      silentSince ??= performance.now()
      pause = waitAfter(error, 0)
      if (performance.now() - silentSince + pause > PATIENCE_MS) throw error
    } finally {
      await stream.return(false)
    }
    await sleep(Math.max(wait, pause), signal)
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await unlessAborted(promise, signal).finally(() => clearTimeout(timer))
}

/** Rejects with the signal’s reason as soon as the signal aborts; the work goes on. */
export async function unlessAborted<T>(work: T | Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return work
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

type State = Pick<Batch, 'resumes_at'> & { readonly status: string }

/** Tells whether a batch is parked and does not try again by itself. */
export const waitsForYou = ({ status, resumes_at }: State): boolean => status === 'parked' && resumes_at === null

/** Tells whether a running batch waits for a process that has its judge. */
export const waitsForWorker = ({ status, waiting_for }: Pick<Batch, 'status' | 'waiting_for'>): boolean =>
  status === 'running' && waiting_for === 'worker'

/** Tells whether nothing more happens by itself: the batch has ended, or is parked until it is resumed. */
export const isSettled = (batch: State): boolean =>
  batch.status === 'done' || batch.status === 'cancelled' || waitsForYou(batch)

const FIRST_LOOK_MS = 50
const LONGEST_LOOK_MS = 1_000

/** Yields the states of a batch as they change, until nothing more happens by itself; at most `longestLookMs` between two reads. */
export const followBatch = <B extends State>(
  readBatch: (id: string, options: CallOptions) => Promise<B>,
  id: string,
  signal?: AbortSignal,
  longestLookMs = LONGEST_LOOK_MS,
): AsyncGenerator<B> =>
  persist(async function* (answered) {
    for (let [last, wait] = ['', FIRST_LOOK_MS]; ; wait = Math.min(wait * 2, longestLookMs)) {
      const begun = performance.now()
      const batch = await readBatch(id, { signal })
      // Looks take a twentieth of the time at the most: the counts of 100,000 items take a tenth of a second.
      const rest = Math.min(LONGEST_LOOK_MS, 20 * (performance.now() - begun))
      answered()
      const text = JSON.stringify(batch)
      if (text !== last) yield batch
      if (isSettled(batch)) return true
      last = text
      await sleep(Math.max(wait, rest), signal)
    }
  }, signal)
