import type { Grade } from '../schemas/grade.ts'
import type { GradeOptions, GradeRequest } from '../schemas/grade-request.ts'
import { openVeridict } from './local.ts'
import type { Veridict } from './veridict.ts'

/** Grades after which the memory for equal requests is freed. */
const MOST_GRADES = 1000

let shared: Promise<Veridict> | null = null
let begun = 0

/**
 * Grades one trial in this process, with the judges that the environment has keys for; without any, with the lexical judge. Nothing is written
 * to disk. `options` overrides the members of the request.
 *
 * @example
 * ```ts
 * const { status, label } = await grade({ trajectory, ground_truth })
 * ```
 * @returns a grade: `graded` with a label, `unverified`, or `failed` for a failed judge
 * @throws {VeridictError} for a request that cannot be graded
 * @throws {Error} for an environment that cannot be used
 */
export async function grade(request: GradeRequest, options: GradeOptions = {}): Promise<Grade> {
  if (begun++ % MOST_GRADES === 0) {
    // The grades of the old Veridict have begun by the next turn, and its `close` waits for them.
    shared?.then((old) => setImmediate(() => void old.close())).catch(() => undefined)
    shared = null
  }
  shared ??= openVeridict()
  shared.catch(() => {
    shared = null
  })
  return (await shared).grade({ ...request, ...options })
}
