import { expect, test } from 'vitest'
import type { PlannedAttempt } from '../../src/db/attempts.ts'
import type { Stores } from '../../src/db/stores.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import type { JudgeInfo } from '../../src/ports/judge.ts'
import { GOOD_ANSWER, REQUEST, scriptedJudge, startService } from './harness.ts'

async function planned(info: Partial<JudgeInfo>): Promise<PlannedAttempt | undefined> {
  const stores = openSqliteStores({ path: ':memory:' })
  const begun: PlannedAttempt[] = []
  const reserve: Stores['attempts']['reserve'] = (call) => {
    begun.push(call.attempt)
    return stores.attempts.reserve(call)
  }
  const { service } = startService([scriptedJudge([GOOD_ANSWER], info)], {
    ...stores,
    attempts: { ...stores.attempts, reserve },
  })
  await service.grade(REQUEST)
  return begun[0]
}

test('what a call may cost is written down without any cap: it may be cut off and paid for', async () => {
  expect((await planned({}))?.reserved_usd).toBeGreaterThan(0)
})

test('without a price nobody knows', async () => {
  expect(await planned({ price: null })).toMatchObject({ reserved_usd: null })
})
