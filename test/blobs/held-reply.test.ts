import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { GOOD_ANSWER, REQUEST, scriptedJudge, startService } from '../grading/harness.ts'
import { openStore } from './blob-tools.ts'
import type { Fault } from './s3-server.ts'

const FAULTS: readonly [string, Fault][] = [
  ['overloaded', { status: 503, code: 'SlowDown' }],
  ['full', { status: 507, code: 'InsufficientStorage' }],
  ['cut off', 'cut'],
]

test.each(FAULTS)('a reply whose store is %s is held, stored later, and paid for once', async (_name, fault) => {
  const { s3, blobs } = await openStore({ min_bytes: 1, max_attempts: 1 })
  const stores = openSqliteStores({ path: ':memory:', blobs })
  await stores.settlePlace()
  const judge = scriptedJudge([GOOD_ANSWER])
  const { service, clock } = startService([judge], stores)
  const put = stores.trajectories.put
  // The trajectory is taken in, and then the store goes away: text and raw reply, five tries.
  stores.trajectories.put = async (...given) => {
    const done = await put(...given)
    s3.faults.push(...Array<Fault>(10).fill(fault))
    return done
  }
  const outcome = await service.grade(REQUEST)
  expect(outcome).toMatchObject({ ok: true, grade: { status: 'graded', label: 'aligned' } })
  expect(judge.requests).toHaveLength(1)
  expect(clock.slept).toEqual(Array.from({ length: 5 }, () => 2000))
  const id = outcome.ok ? outcome.grade.id : ''
  expect(await stores.attempts.listReplies(id)).toMatchObject([{ reply: { text: JSON.stringify(GOOD_ANSWER) } }])
  expect([...s3.objects.keys()].filter((key) => key.includes('/replies/'))).toHaveLength(2)
})
