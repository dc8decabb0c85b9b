import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge } from '../http/make-batch.ts'

/** Makes a judge that refuses every fifth run and answers the runs from `free` on only after the test releases it. */
export function judgeOnHold(free: number) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const judge = answeringJudge(async (run) => {
    if (run >= free) await promise
    return run % 5 === 4 ? { fail: 'refused' } : GOOD_ANSWER
  })
  return { judge, release: resolve }
}
