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
  let begun = 0
  let inFlight = 0
  let isReading = false
  let isRead = false
  let broken: { readonly error: unknown } | null = null
  let change = Promise.withResolvers<void>()

  async function gradeOne(index: number, request: GradeRequest): Promise<void> {
    const item = await grade(request).then(
      (made): GradedItem => ({ index, ok: true, grade: made }),
      (error: unknown): GradedItem => {
        if (error instanceof ServiceError) return { index, ok: false, error }
        throw error
      },
    )
    inFlight--
    ended.push(item)
    change.resolve()
  }
  async function readOne(): Promise<void> {
    isReading = true
    const { done, value } = await source.next()
    isReading = false
    isRead = done === true
    if (!isRead && broken === null) {
      inFlight++
      gradeOne(begun++, value).catch(fail)
    }
    change.resolve()
  }
  const fail = (error: unknown): void => {
    broken ??= { error }
    change.resolve()
  }
  const onAbort = (): void => fail(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    for (;;) {
      // Items that wait for the caller take room, too.
      const hasRoom = inFlight + ended.length < concurrency
      if (hasRoom && !isReading && !isRead) readOne().catch(fail)
      const item = ended.shift()
      if (broken !== null) throw (broken as { readonly error: unknown }).error
      if (item !== undefined) yield item
      else if (isRead && inFlight === 0) return
      else {
        await change.promise
        change = Promise.withResolvers<void>()
      }
    }
  } finally {
    broken ??= { error: undefined }
    signal?.removeEventListener('abort', onAbort)
    // The caller does not wait for a slow source.
    if (!isRead) Promise.resolve(source.return?.()).catch(() => undefined)
  }
}
