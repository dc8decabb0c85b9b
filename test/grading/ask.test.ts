import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import type { Judge } from '../../src/judges/judge.ts'
import { tempFolder } from '../temp-folder.ts'
import { fakeClock, GOOD_ANSWER, gradeOf, REQUEST, replyOf, scriptedJudge, startService } from './harness.ts'
import { steppedClock } from './stepped-clock.ts'
import { spendingOf, startTwo, testTwoServices, until } from './two-services.ts'

const openTwo = async () => {
  const path = join(tempFolder(), 'veridict.db')
  return [openSqliteStores({ path }), openSqliteStores({ path })] as const
}
const questions = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...REQUEST,
    ground_truth: { ...REQUEST.ground_truth, instruction: `Build part ${n}.` },
  }))

describe('two services on one SQLite file', () => {
  testTwoServices(openTwo)

  test('a call of a process that stalls is lost after the longest call and a grace; its late reply is kept', async () => {
    const { a, b } = await startTwo(openTwo)
    const first = a.service.grade(REQUEST)
    await until(() => a.judge.calls() === 1)
    const second = b.service.grade(REQUEST)
    await b.clock.asleep()
    b.judge.open()
    b.clock.advance(90_000)
    expect(b.judge.calls()).toBe(0)
    await b.clock.wake()
    const grade = gradeOf(await second)
    expect([grade, b.judge.calls()]).toMatchObject([{ receipt: { attempts: [{ replayed: false }] } }, 1])
    expect(await spendingOf(b.stores)).toMatchObject({ calls: 2, unknown_calls: 1 })
    a.judge.open()
    expect(gradeOf(await first)).toMatchObject({ status: 'graded' })
    expect(await spendingOf(b.stores)).toMatchObject({ calls: 2, unknown_calls: 0, uncertain_usd: 0 })
  })

  test('an item waits two seconds for an equal question in flight, then its chunk makes room for others', async () => {
    const { a, b } = await startTwo(openTwo)
    const first = a.service.grade(REQUEST)
    await until(() => a.judge.calls() === 1)
    const item = b.service.gradeItem(REQUEST, {
      ...{ way: 'call', item: { batch: 'bat_1', index: 0 }, payer: null, cap_usd: null },
      signal: new AbortController().signal,
      isPassing: ({ code }) => code === 'cancelled',
    })
    for (let waited = 0; waited < 2000; waited += 500) expect(await b.clock.wake()).toBe(500)
    expect(await item).toMatchObject({ kind: 'passed_over', failure: { code: 'cancelled' } })
    a.judge.open()
    expect(gradeOf(await first)).toMatchObject({ status: 'graded' })
    expect([a.judge.calls(), b.judge.calls()]).toEqual([1, 0])
  })
})

test('the time that a call waits for its slot is not taken from the time of the call', async () => {
  const [holding, clock] = [Promise.withResolvers<void>(), fakeClock()]
  let calls = 0
  const judge: Judge = {
    info: scriptedJudge([]).info,
    async ask(_, signal) {
      calls += 1
      if (calls === 1) await holding.promise
      else await delay(50, undefined, { signal })
      return replyOf(GOOD_ANSWER)
    },
  }
  const { service } = startService([judge], undefined, { clock, lane: { initial: 1, min: 1, max: 1 } })
  const grades = questions(2).map((request) => service.grade(request))
  await until(() => calls === 1)
  clock.advance(1_000_000)
  holding.resolve()
  expect((await Promise.all(grades)).map((outcome) => gradeOf(outcome).status)).toEqual(['graded', 'graded'])
  expect(calls).toBe(2)
})

test('a process that stood still after the reservation asks for its turn again: others may have asked meanwhile', async () => {
  const [stores, clock, judge] = [openSqliteStores({ path: ':memory:' }), fakeClock(), scriptedJudge([GOOD_ANSWER])]
  let stalls = 1
  const attempts: typeof stores.attempts = {
    ...stores.attempts,
    async reserve(call) {
      const reserved = await stores.attempts.reserve(call)
      if (stalls-- > 0) clock.advance(30_000)
      return reserved
    },
  }
  const { service } = startService([judge], { ...stores, attempts }, { clock })
  const { id, receipt } = gradeOf(await service.grade(REQUEST))
  expect([receipt.attempts.length, judge.requests.length]).toEqual([1, 1])
  expect((await stores.attempts.listForGrade(id)).map(({ outcome }) => outcome)).toEqual(['cancelled', 'ok'])
  expect(await spendingOf(stores)).toMatchObject({ reserved_usd: 0, uncertain_usd: 0 })
  await stores.close()
})

test('after twelve silent failures in a row a judge rests: calls are turned away at once, for half a minute', async () => {
  const judge = scriptedJudge([...Array(12).fill({ fail: 'timeout' }), GOOD_ANSWER])
  const { service, clock } = startService([judge])
  for (const request of questions(3)) expect(gradeOf(await service.grade(request)).receipt.attempts).toHaveLength(4)
  const slept = clock.slept.length
  const [, , , request = REQUEST] = questions(4)
  const turned = gradeOf(await service.grade(request))
  expect(turned).toMatchObject({ status: 'failed', failure: { code: 'timeout' }, receipt: { attempts: [] } })
  expect([judge.requests.length, clock.slept.length]).toEqual([12, slept])
  clock.advance(30_000)
  expect(gradeOf(await service.grade(request))).toMatchObject({ status: 'graded' })
})

test('a slot of the lane spans the reservation, the call and the stored reply', async () => {
  const stores = openSqliteStores({ path: ':memory:' })
  const clock = steppedClock()
  const full = Object.assign(new Error('full'), { name: 'StorageError', code: 'storage_full' })
  let isFull = true
  const finish: typeof stores.attempts.finish = (attempt) =>
    isFull ? Promise.reject(full) : stores.attempts.finish(attempt)
  const judge = scriptedJudge([GOOD_ANSWER])
  const held = { ...stores, attempts: { ...stores.attempts, finish } }
  const { service } = startService([judge], held, { clock, lane: { initial: 1, min: 1, max: 1 } })
  const grades = questions(2).map((request) => service.grade(request))
  expect(await clock.wake()).toBe(2000)
  expect(await clock.asleep()).toBe(2000)
  expect(judge.requests).toHaveLength(1)
  isFull = false
  await clock.wake()
  expect((await Promise.all(grades)).map((outcome) => gradeOf(outcome).status)).toEqual(['graded', 'graded'])
})

test('retries of all questions share a budget: an outage is not answered with a multiple of the load', async () => {
  const judge = scriptedJudge([{ fail: 'rate_limited' }])
  const { service } = startService([judge])
  const grades = []
  for (const request of questions(20)) grades.push(gradeOf(await service.grade(request)))
  const attempts = grades.map(({ receipt }) => receipt.attempts.length)
  expect(attempts.slice(0, 4)).toEqual([4, 4, 4, 2])
  // Ten retries at the beginning, and a fifth of a retry for each question.
  expect(judge.requests.length - 20).toBeLessThanOrEqual(10 + 20 / 5)
})
