import { expect, test } from 'vitest'
import type { Stores } from '../../src/grading/ports.ts'
import { openSqliteStores } from '../../src/storage/sqlite.ts'
import { StorageError } from '../../src/storage/storage-error.ts'
import { GOOD_ANSWER, REQUEST, scriptedJudge, startService } from './harness.ts'

/** Stores whose ledger refuses the ends of calls so many times, as a full disk does; all else is real. */
function storesThatRefuse(times: number): { stores: Stores; tries: () => number } {
  const stores = openSqliteStores({ path: ':memory:' })
  let tries = 0
  const finish: Stores['attempts']['finish'] = (attempt) =>
    tries++ < times
      ? Promise.reject(new StorageError('storage_full', 'database or disk is full'))
      : stores.attempts.finish(attempt)
  return { stores: { ...stores, attempts: { ...stores.attempts, finish } }, tries: () => tries }
}

test.each([1, 4, 29])(
  'a reply that cannot be stored %i times is held, stored later, and paid for once',
  async (times) => {
    const judge = scriptedJudge([GOOD_ANSWER])
    const { stores, tries } = storesThatRefuse(times)
    const { service, clock } = startService([judge], stores)
    const outcome = await service.grade(REQUEST)
    expect(outcome).toMatchObject({ ok: true, grade: { status: 'graded', label: 'aligned' } })
    expect(judge.requests).toHaveLength(1)
    expect(tries()).toBe(times + 1)
    expect(clock.slept).toEqual(Array.from({ length: times }, () => 2000))
    const id = outcome.ok ? outcome.grade.id : ''
    expect(await stores.attempts.listForGrade(id)).toMatchObject([{ outcome: 'ok', purpose: 'decide' }])
    expect(await stores.attempts.listReplies(id)).toMatchObject([{ reply: { text: JSON.stringify(GOOD_ANSWER) } }])
  },
)

test('a store that never takes it is an error after a minute, and no verdict', async () => {
  const judge = scriptedJudge([GOOD_ANSWER])
  const { stores, tries } = storesThatRefuse(Number.POSITIVE_INFINITY)
  const { service, clock } = startService([judge], stores)
  await expect(service.grade(REQUEST)).rejects.toMatchObject({ name: 'StorageError' })
  expect(judge.requests).toHaveLength(1)
  expect(tries()).toBe(30)
  expect(clock.slept).toHaveLength(29)
  expect(await stores.grades.list({ limit: 10 })).toEqual([])
})
