import { ServiceError } from '../client/errors.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import type { GradedItem, GradeManyOptions } from './veridict.ts'

const CONCURRENCY = 8
const MOST_CONCURRENCY = 1000

/** Implements `Veridict.gradeMany`. Errors of `grade` other than a ServiceError end the loop. */
export async function* gradeMany(
  grade: (request: GradeRequest) => Promise<Grade>,
  requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
  { concurrency = CONCURRENCY, signal }: GradeManyOptions = {},
): AsyncGenerator<GradedItem, void, undefined> {
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_CONCURRENCY))
    throw new RangeError(`concurrency must be a whole number from 1 to ${MOST_CONCURRENCY}`)
  signal?.throwIfAborted()
  const source = Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]()
  const ended: GradedItem[] = []
  let [begun, inFlight, isReading, isRead] = [0, 0, false, false]
  let fault: { readonly error: unknown } | undefined
  let change = Promise.withResolvers<void>()
  const breakOff = (error: unknown): void => {
    fault ??= { error }
    change.resolve()
  }
  const watch = (work: Promise<void>): void => void work.then(() => change.resolve(), breakOff)

  async function gradeOne(index: number, request: GradeRequest): Promise<void> {
    inFlight++
    try {
      ended.push({ index, ok: true, grade: await grade(request) })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      ended.push({ index, ok: false, error })
    }
    inFlight--
  }
  async function readOne(): Promise<void> {
    isReading = true
    const { done, value } = await source.next()
    isReading = false
    if (done === true) isRead = true
    else if (fault === undefined) watch(gradeOne(begun++, value))
  }
  const onAbort = (): void => breakOff(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      // Items that wait for the caller take room, too.
      if (inFlight + ended.length < concurrency && !isReading && !isRead) watch(readOne())
      const item = ended.shift()
      if (fault !== undefined) throw (fault as { readonly error: unknown }).error
      if (item !== undefined) yield item
      else if (isRead && inFlight === 0) return
      else {
        await change.promise
        change = Promise.withResolvers<void>()
      }
    }
  } finally {
    fault ??= { error: undefined }
    signal?.removeEventListener('abort', onAbort)
    // The caller does not wait for a slow source.
    if (!isRead) Promise.resolve(source.return?.()).catch(() => undefined)
  }
}
