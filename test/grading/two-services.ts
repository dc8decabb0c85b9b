import { expect, onTestFinished, test, vi } from 'vitest'
import type { Stores } from '../../src/db/stores.ts'
import type { Judge, JudgeRequest } from '../../src/judges/judge.ts'
import { readSpending } from '../storage/make-attempt.ts'
import { GOOD_ANSWER, gradeOf, REQUEST, replyOf, type Script, scriptedJudge, startService } from './harness.ts'
import { steppedClock } from './stepped-clock.ts'

/** A judge whose calls wait until the test opens the gate. */
function gatedJudge(script: Script) {
  const gate = Promise.withResolvers<void>()
  const requests: JudgeRequest[] = []
  const judge: Judge = {
    info: scriptedJudge([]).info,
    async ask(request) {
      requests.push(request)
      await gate.promise
      return replyOf(script)
    },
  }
  return { ...judge, calls: () => requests.length, open: () => gate.resolve() }
}

export type OpenTwo = () => Promise<readonly [Stores, Stores]>

/** Starts two services over one database, as two processes have them: each with a judge, a lane and a clock of its own. */
export async function startTwo(open: OpenTwo, script: Script = GOOD_ANSWER, lane = { initial: 8, min: 1, max: 8 }) {
  const start = (stores: Stores) => {
    onTestFinished(() => stores.close())
    const [judge, clock] = [gatedJudge(script), steppedClock()]
    return { ...startService([judge], stores, { lane, clock }), judge, clock }
  }
  const [one, other] = await open()
  const [a, b] = [start(one), start(other)]
  return { a, b, calls: () => a.judge.calls() + b.judge.calls() }
}

/** Reads the spending of the day of the clocks. */
export const spendingOf = (stores: Stores) => readSpending(stores.db.read, 'day:2026-11-21')

export const until = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 10_000 })

const OTHER = { ...REQUEST, ground_truth: { ...REQUEST.ground_truth, instruction: 'Build it all.' } }
const JOB = { way: 'call', item: { batch: 'bat_1', index: 0 }, payer: null, cap_usd: null } as const

/** Tests that two processes on one database share judges and calls. */
export function testTwoServices(open: OpenTwo): void {
  test('50 equal requests over two services make one call', async () => {
    const { a, b, calls } = await startTwo(open)
    const asking = Array.from({ length: 25 }, () => a.service.grade(REQUEST))
    await until(() => calls() === 1)
    asking.push(...Array.from({ length: 25 }, () => b.service.grade(REQUEST)))
    expect(await b.clock.wake()).toBe(500)
    await b.clock.asleep()
    a.clock.advance(1)
    a.judge.open()
    await asking[0]
    await b.clock.wake()
    const grades = (await Promise.all(asking)).map(gradeOf)
    expect(new Set(grades.map(({ label, receipt }) => `${label} ${receipt.attempts[0]?.id}`)).size).toBe(1)
    expect(calls()).toBe(1)
    expect(await spendingOf(a.stores)).toMatchObject({ calls: 1 })
  })

  test('a grade that waited for the grade of another process uses all of its replies', async () => {
    const { a, b, calls } = await startTwo(open)
    const request = { ...REQUEST, samples: 3 }
    const first = a.service.grade(request)
    await until(() => calls() === 1)
    const second = b.service.grade(request)
    await b.clock.asleep()
    a.clock.advance(1)
    a.judge.open()
    const { receipt } = gradeOf(await first)
    await b.clock.wake()
    const ids = (attempts: typeof receipt.attempts) => attempts.map(({ id }) => id)
    const { attempts: other, cost_usd } = gradeOf(await second).receipt
    expect([ids(other), other.every(({ replayed }) => replayed)]).toEqual([ids(receipt.attempts), true])
    expect([cost_usd, receipt.cost_usd]).toEqual([0, (await spendingOf(a.stores)).settled_usd])
    expect(calls()).toBe(3)
  })

  test('a failed call of another process answers nobody else', async () => {
    const { a, b, calls } = await startTwo(open, { fail: 'refused' })
    const first = a.service.grade(REQUEST)
    await until(() => calls() === 1)
    const second = b.service.grade(REQUEST)
    await b.clock.asleep()
    for (const { judge } of [a, b]) judge.open()
    const failed = { status: 'failed', failure: { code: 'refused' } }
    expect(gradeOf(await first)).toMatchObject(failed)
    await b.clock.wake()
    expect([gradeOf(await second), calls()]).toMatchObject([failed, 2])
  })

  test('the limit of a judge holds over both; a call that waits gives its slot up, and its wait is not the judge’s', async () => {
    const { a, b, calls } = await startTwo(open, GOOD_ANSWER, { initial: 1, min: 1, max: 1 })
    const first = a.service.grade(REQUEST)
    await until(() => calls() === 1)
    const second = b.service.grade(OTHER)
    for (let n = 0; n < 3; n++) expect(await b.clock.wake()).toBe(100)
    await b.clock.asleep()
    expect(calls()).toBe(1)
    for (const { judge } of [a, b]) judge.open()
    await first
    await b.clock.wake()
    expect(gradeOf(await second)).toMatchObject({ status: 'graded', receipt: { attempts: [{ latency_ms: 0 }] } })
    expect(calls()).toBe(2)
  })

  test('a pause that a judge asks for holds for the other service too', async () => {
    const { a, b, calls } = await startTwo(open, { fail: 'rate_limited', retry_after_s: 3 })
    a.judge.open()
    const first = a.service.grade(REQUEST)
    expect(await a.clock.asleep()).toBe(3000)
    const second = b.service.grade(OTHER)
    for (let n = 0; n < 3; n++) {
      expect(calls()).toBe(1)
      expect(await b.clock.wake()).toBe(1000)
    }
    await until(() => b.judge.calls() === 1)
    b.judge.open()
    void first
    void second
  })

  test('an item that is called away does not wait for another process any more', async () => {
    const { a, b, calls } = await startTwo(open)
    const first = a.service.grade(REQUEST)
    await until(() => calls() === 1)
    const leaving = new AbortController()
    const item = b.service.gradeItem(REQUEST, { ...JOB, signal: leaving.signal, isPassing: () => true })
    await b.clock.asleep()
    leaving.abort()
    expect(await item).toMatchObject({ kind: 'passed_over', failure: { code: 'cancelled' } })
    a.judge.open()
    expect([gradeOf(await first), calls()]).toMatchObject([{ status: 'graded' }, 1])
  })
}
