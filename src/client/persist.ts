import { isPassing, ServiceError, UnreachableError } from './errors.ts'

export interface RetryPolicy {
  /** How often a call is made at most. */
  readonly tries: number
  /** A call that is to wait longer, by the service’s own word, fails at once and says so. */
  readonly longestWaitMs: number
}

/** A timer of more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Makes a call again where the service did not take it (429, 503), or where the connection broke and it can be repeated, after what `Retry-After` says, else after one second,
 * then two, four. A judge that failed is an answer, and is not asked again.
 */
export async function retrying<T>(
  policy: RetryPolicy,
  { signal, canRepeat }: { readonly signal?: AbortSignal | undefined; readonly canRepeat: boolean },
  call: () => Promise<T>,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await call()
    } catch (error) {
      const isLost = error instanceof UnreachableError && !canRepeat
      if (signal?.aborted || isLost || !isRefusedForNow(error) || made >= policy.tries) throw error
      const wait = waitOf(error, made)
      if (wait > Math.min(policy.longestWaitMs, LONGEST_TIMER_MS)) throw error
      await sleep(wait, signal)
    }
  }
}

/** 409: another request with the same Idempotency-Key is being answered; 502 and 504 are of proxies, where no judge failed. */
const isRefusedForNow = (error: unknown): boolean =>
  isPassing(error) ? !(error instanceof ServiceError) || error.gradeId === null : isInUse(error)

const isInUse = (error: unknown): boolean => error instanceof ServiceError && error.code === 'idempotency_key_in_use'

const waitOf = (error: unknown, made: number): number =>
  error instanceof ServiceError && error.retryAfterS !== null ? error.retryAfterS * 1000 : 1000 * 2 ** (made - 1)

export interface FollowTiming {
  readonly first_wait_ms: number
  readonly longest_wait_ms: number
  /** For how long a service that does not answer is asked again, before it counts as gone. */
  readonly patience_ms: number
}

const TIMING: FollowTiming = { first_wait_ms: 500, longest_wait_ms: 15_000, patience_ms: 180_000 }

/**
 * What a stream gives, opened again where it breaks or ends too early: a service may restart meanwhile, and its batch goes on. `open` calls
 * `answered` when the service answers, and returns whether all has come. Throws the signal’s reason, what the service refuses, or
 * `UnreachableError` once the patience is over.
 */
export async function* persist<T>(
  open: (answered: () => void) => AsyncGenerator<T, boolean>,
  signal?: AbortSignal,
  timing: FollowTiming = TIMING,
): AsyncGenerator<T> {
  let wait = timing.first_wait_ms
  let silentSince: number | null = null
  const answered = () => {
    silentSince = null
  }
  for (;;) {
    try {
      const stream = open(answered)
      const isWhole = yield* withEach(stream, () => {
        wait = timing.first_wait_ms
      })
      if (isWhole) return
    } catch (error) {
      if (signal?.aborted || !isPassing(error)) throw error
      silentSince ??= performance.now()
      if (performance.now() - silentSince > timing.patience_ms) throw error
    }
    await sleep(wait, signal)
    wait = Math.min(wait * 2, timing.longest_wait_ms)
  }
}

async function* withEach<T>(stream: AsyncGenerator<T, boolean>, hear: () => void): AsyncGenerator<T, boolean> {
  try {
    for (;;) {
      const next = await stream.next()
      if (next.done === true) return next.value
      hear()
      yield next.value
    }
  } finally {
    await stream.return(false)
  }
}

/** Throws the signal’s reason. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
