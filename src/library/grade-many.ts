import { Readable } from 'node:stream'
import { ServiceError } from '../client/errors.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import type { CallOptions, GradedItem, GradeManyOptions } from './veridict.ts'

const CONCURRENCY = 8
const MOST_CONCURRENCY = 1000

type Graded = { readonly ok: true; readonly grade: Grade } | { readonly ok: false; readonly error: ServiceError }

/** Implements `Veridict.gradeMany`. Errors of `grade` other than a ServiceError end the loop. */
export async function* gradeMany(
  grade: (request: GradeRequest, options: CallOptions) => Promise<Grade>,
  requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
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
