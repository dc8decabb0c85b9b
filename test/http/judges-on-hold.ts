import type { Judge } from '../../src/judges/judge.ts'
import { replyOf, type Script, scriptedJudge } from '../grading/harness.ts'

export interface JudgeOnHold extends Judge {
  /** Resolves after the first call of the judge. */
  readonly asked: Promise<void>
  readonly calls: number
  answer(script: Script): void
}

/** Makes a judge that answers after the test releases it: a latch, not a sleep. */
export function judgeOnHold(): JudgeOnHold {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<Script>()
  const judge = {
    ...scriptedJudge([]),
    calls: 0,
    asked: asked.promise,
    answer: answered.resolve,
    async ask() {
      judge.calls++
      asked.resolve()
      return replyOf(await answered.promise)
    },
  }
  return judge
}
