import { expect, test } from 'vitest'
import { StorageError, type StorageErrorCode } from '../../src/db/errors.ts'
import type { Stores } from '../../src/db/stores.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { GOOD_ANSWER, REQUEST, scriptedJudge, startService } from './harness.ts'

/** Stores whose ledger refuses the ends of calls so many times, as a full disk does; all else is real. */
function storesThatRefuse(
  times: number,
  code: StorageErrorCode = 'storage_full',
): { stores: Stores; tries: () => number } {
  const stores = openSqliteStores({ path: ':memory:' })
  let tries = 0
  const finish: Stores['attempts']['finish'] = (attempt) =>
    tries++ < times ? Promise.reject(new StorageError(code, 'refused')) : stores.attempts.finish(attempt)
  return { stores: { ...stores, attempts: { ...stores.attempts, finish } }, tries: () => tries }
}

test.each([1, 4, 29])(
  'a reply that cannot be stored %i times is held, stored later, and paid for once',
  async (times) => {
    const judge = scriptedJudge([GOOD_ANSWER])
    const { stores, tries } = storesThatRefuse(times)
    const { service, clock } = startService([judge], stores)
    const { grade } = await service.grade(REQUEST)
    expect(grade).toMatchObject({ status: 'graded', label: 'aligned' })
    expect(judge.requests).toHaveLength(1)
    expect(tries()).toBe(times + 1)
    expect(clock.slept).toEqual(Array.from({ length: times }, () => 2000))
    expect(await stores.attempts.listForGrade(grade.id)).toMatchObject([{ outcome: 'ok', purpose: 'decide' }])
    expect(await stores.attempts.listReplies(grade.id)).toMatchObject([
      { reply: { text: JSON.stringify(GOOD_ANSWER) } },
    ])
  },
)

test.each([
  ['storage_full', 1800],
  ['storage_busy', 1800],
  ['storage_error', 30],
] as const)('a store that never takes it (%s) is an error after %i tries, and no verdict', async (code, most) => {
  const judge = scriptedJudge([GOOD_ANSWER])
  const { stores, tries } = storesThatRefuse(Number.POSITIVE_INFINITY, code)
  const { service, clock } = startService([judge], stores)
  const message = expect.stringContaining('paid for')
  await expect(service.grade(REQUEST)).rejects.toMatchObject({ name: 'StorageError', code, message })
  expect(judge.requests).toHaveLength(1)
  expect(tries()).toBe(most)
  expect(clock.slept).toHaveLength(most - 1)
  expect(await stores.grades.list({ limit: 10 })).toEqual([])
})
