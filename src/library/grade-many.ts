import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import { type GradedItem, type GradeManyOptions, VeridictError } from './contract.ts'

const CONCURRENCY = 8
const MOST_CONCURRENCY = 1000

/** Implements `Veridict.gradeMany`. Errors of `grade` other than a VeridictError end the loop. */
export async function* gradeMany(
  grade: (request: GradeRequest) => Promise<Grade>,
  requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
  { concurrency = CONCURRENCY, signal }: GradeManyOptions = {},
): AsyncGenerator<GradedItem, void, undefined> {
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_CONCURRENCY))
    throw new RangeError(`concurrency must be a whole number from 1 to ${MOST_CONCURRENCY}`)
  signal?.throwIfAborted()
  const source = Symbol.asyncIterator in requests ? requests[Symbol.asyncIterator]() : requests[Symbol.iterator]()
  /** Abort of one turn: a race over a promise that lasts would keep the result of every turn. */
  let turn: PromiseWithResolvers<never> | undefined
  const onAbort = (): void => turn?.reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  /** Grades in flight and items that wait for the caller, by index; `null`: the request that is read. */
  const open = new Map<number | null, Promise<GradedItem | IteratorResult<GradeRequest>>>()
  const add = (index: number | null, work: Promise<GradedItem | IteratorResult<GradeRequest>>): void => {
    // A loop that the caller left receives no errors.
    work.catch(() => undefined)
    open.set(index, work)
  }

  async function gradeOne(index: number, request: GradeRequest): Promise<GradedItem> {
    try {
      return { index, ok: true, grade: await grade(request) }
    } catch (error) {
      if (error instanceof VeridictError) return { index, ok: false, error }
      throw error
    }
  }

  let [begun, isRead] = [0, false]
  try {
    while (!isRead || open.size > 0) {
      if (!isRead && !open.has(null) && open.size < concurrency) add(null, Promise.resolve(source.next()))
      signal?.throwIfAborted()
      turn = Promise.withResolvers<never>()
      const ended = await Promise.race([turn.promise, ...open.values()])
      open.delete('index' in ended ? ended.index : null)
      if ('index' in ended) yield ended
      else if (ended.done) isRead = true
      else add(begun, gradeOne(begun++, ended.value))
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // The caller does not wait for a slow source.
    if (!isRead) Promise.resolve(source.return?.()).catch(() => undefined)
  }
}
