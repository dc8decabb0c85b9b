import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Judge } from '../../src/ports/judge.ts'
import type { GradeRequest } from '../../src/schemas/grade-request.ts'
import { leasesOf } from '../storage/postgres-lease-tools.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { GOOD_ANSWER, gradeOf, REQUEST, replyOf, type Script, scriptedJudge, startService } from './harness.ts'

/** A judge whose calls wait until they are let go, and are then answered by the script. */
function gatedJudge(script: Script = GOOD_ANSWER) {
  const gate = Promise.withResolvers<void>()
  const judge = scriptedJudge([script])
  let isOpen = false
  const gated: Judge = {
    info: judge.info,
    ask: async (request) => {
      judge.requests.push(request)
      if (!isOpen) await gate.promise
      return replyOf(script)
    },
  }
  return {
    ...gated,
    calls: () => judge.requests.length,
    open() {
      isOpen = true
      gate.resolve()
    },
  }
}

async function until(isSo: () => boolean | Promise<boolean>) {
  while (!(await isSo())) await delay(10)
}

describePostgres('one flight over several processes', (tools) => {
  /** Two services with a judge each, as two processes have them. */
  async function startTwo(script?: Script, judges = [gatedJudge(script), gatedJudge(script)] as const) {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const given = { lease_seconds: 600 }
    const [one, other] = [await open(schema, given), await open(schema, given)]
    const [a, b] = [startService([judges[0]], one), startService([judges[1]], other)]
    const rows = (text: string) => server.query(text.replaceAll('leases', `"${schema}".leases`))
    return {
      a: { ...a, judge: judges[0] },
      b: { ...b, judge: judges[1] },
      calls: () => judges[0].calls() + judges[1].calls(),
      open() {
        for (const judge of judges) judge.open()
      },
      /** The holder hears nothing of it: it is as if it had been stopped. */
      expire: () => rows("UPDATE leases SET until = clock_timestamp() - interval '1 ms'"),
      isWaitedFor: async () => (await rows('SELECT 1 FROM leases WHERE waited')).length > 0,
      isIdle: async () => (await rows('SELECT 1 FROM leases WHERE until > clock_timestamp()')).length === 0,
      async close() {
        await one.close()
        await other.close()
      },
    }
  }

  test('50 equal requests over two services make one call, and get one grade', async () => {
    const { a, b, calls, open, isWaitedFor, isIdle, close } = await startTwo()
    const asking = Array.from({ length: 50 }, (_, at) => [a, b][at % 2]?.service.grade(REQUEST))
    await until(isWaitedFor)
    open()
    const outcomes = await Promise.all(asking)
    const grades = outcomes.flatMap((outcome) => (outcome?.ok ? [outcome] : []))
    expect(grades).toHaveLength(50)
    expect(calls()).toBe(1)
    expect(new Set(grades.map(({ grade }) => grade.id)).size).toBe(1)
    expect(grades.filter(({ cached }) => !cached)).toHaveLength(1)
    expect(await a.stores.grades.list({ limit: 9 })).toHaveLength(1)
    await until(isIdle)
    await close()
  })

  test.each(['use', 'refresh'] as const)('who comes second shares a failed grade too (%s)', async (cache) => {
    const { a, b, calls, open, isWaitedFor, close } = await startTwo({ fail: 'refused' })
    const request = { ...REQUEST, cache }
    const first = a.service.grade(request)
    await until(() => calls() === 1)
    const second = b.service.grade(request)
    await until(isWaitedFor)
    open()
    const [one, other] = [gradeOf(await first), gradeOf(await second)]
    expect(one).toMatchObject({ status: 'failed', failure: { code: 'refused' } })
    expect(other).toEqual(one)
    expect(calls()).toBe(1)
    // Who comes later asks for himself.
    expect(gradeOf(await b.service.grade(request)).id).not.toBe(one.id)
    await close()
  })

  test('another’s cap is not shared: who comes second asks for himself', async () => {
    const { a, b, calls, open, isWaitedFor, close } = await startTwo()
    const first = a.service.grade({ ...REQUEST, cache: 'refresh' }, { key_id: 'key_1', max_cost_usd_per_day: 0 })
    expect(gradeOf(await first)).toMatchObject({ failure: { code: 'budget_exceeded' } })
    open()
    expect(gradeOf(await b.service.grade(REQUEST))).toMatchObject({ status: 'graded' })
    expect([calls(), await isWaitedFor()]).toEqual([1, false])
    await close()
  })

  test('the leader stalls: the next one uses what it has paid for, and the leader comes to the same grade', async () => {
    const scripted = scriptedJudge([GOOD_ANSWER])
    const stalling = gatedJudge()
    let asked = 0
    // Its first sample is answered, its second one hangs.
    const leader = {
      ...stalling,
      ask: (...args: Parameters<Judge['ask']>) => (asked++ === 0 ? scripted : stalling).ask(...args),
    }
    const { a, b, expire, isWaitedFor, close } = await startTwo(undefined, [leader, gatedJudge()])
    b.judge.open()
    const request: GradeRequest = { ...REQUEST, samples: 2 }
    const first = a.service.grade(request)
    await until(() => stalling.calls() === 1)
    const second = b.service.grade(request)
    await until(isWaitedFor)
    expect(b.judge.calls()).toBe(0)
    await expire()
    const grade = gradeOf(await second)
    // Only the call that was in flight was made again.
    expect([asked, b.judge.calls()]).toEqual([2, 1])
    expect(grade.receipt.attempts.map(({ replayed, sample }) => [sample, replayed])).toEqual([
      [0, true],
      [1, false],
    ])
    stalling.open()
    const late = await first
    expect(late).toMatchObject({ ok: true, cached: true, grade: { id: grade.id } })
    expect([asked, b.judge.calls()]).toEqual([2, 1])
    expect(await a.stores.grades.list({ limit: 9 })).toHaveLength(1)
    // The late reply was paid for, and is kept.
    const repeated = (await a.stores.attempts.listForGrade(grade.id)).find(({ sample }) => sample === 1)
    if (repeated === undefined) throw new Error('the second sample is in the ledger')
    expect(await a.stores.attempts.findOrphan(repeated.key, 1, 0, repeated.request_digest)).not.toBeNull()
    await close()
  })

  test('a lease that is lost to nobody is taken again, and the reply is used: one call', async () => {
    const { a, calls, open, expire, close } = await startTwo()
    const asking = a.service.grade(REQUEST)
    await until(() => calls() === 1)
    await expire()
    open()
    const grade = gradeOf(await asking)
    expect(grade).toMatchObject({ status: 'graded', label: 'aligned' })
    expect(grade.receipt.attempts).toMatchObject([{ replayed: true }])
    expect(calls()).toBe(1)
    await close()
  })

  test('a leader that is gone: its stores are closed in the middle of a call', async () => {
    const { a, b, open, isWaitedFor, close } = await startTwo()
    const lost = a.service.grade(REQUEST).catch((error: unknown) => error)
    await until(() => a.judge.calls() === 1)
    const second = b.service.grade(REQUEST)
    await until(isWaitedFor)
    await a.stores.close()
    b.judge.open()
    expect(gradeOf(await second)).toMatchObject({ status: 'graded' })
    expect([a.judge.calls(), b.judge.calls()]).toEqual([1, 1])
    open()
    expect(await lost).toMatchObject({ name: 'StorageError' })
    await close()
  })

  test('an item that is called away does not wait for another process any more', async () => {
    const { a, b, calls, open, isWaitedFor, close } = await startTwo()
    const first = a.service.grade(REQUEST)
    await until(() => calls() === 1)
    const leaving = new AbortController()
    const item = b.service.gradeItem(REQUEST, {
      way: 'call',
      item: { batch: 'bat_1', index: 0 },
      payer: null,
      signal: leaving.signal,
      cap_usd: null,
      isPassing: () => true,
    })
    await until(isWaitedFor)
    leaving.abort()
    expect(await item).toMatchObject({ kind: 'passed_over', failure: { code: 'cancelled' } })
    open()
    expect(gradeOf(await first)).toMatchObject({ status: 'graded' })
    expect(calls()).toBe(1)
    await close()
  })

  test('an item whose lease is lost publishes nothing and asks nobody again; its reply is used by whoever has it then', async () => {
    const { a, b, calls, open, close } = await startTwo()
    const slice = await leasesOf(a.stores).take('slice:bat_1:0')
    const leaving = new AbortController()
    const job = {
      way: 'call',
      item: { batch: 'bat_1', index: 0, lease: slice?.token ?? '' },
      payer: null,
      signal: leaving.signal,
      cap_usd: null,
      isPassing: () => false,
    } as const
    const lost = a.service.gradeItem(REQUEST, job).catch((error: unknown) => error)
    await until(() => calls() === 1)
    if (slice !== null) await leasesOf(a.stores).release(slice)
    open()
    expect(await lost).toMatchObject({ name: 'StorageError', code: 'lease_lost' })
    expect(await b.stores.grades.list({ limit: 9 })).toEqual([])
    const next = await leasesOf(b.stores).take('slice:bat_1:0')
    const again = await b.service.gradeItem(REQUEST, { ...job, item: { ...job.item, lease: next?.token ?? '' } })
    expect(again).toMatchObject({
      kind: 'graded',
      cached: false,
      grade: { receipt: { attempts: [{ replayed: true }] } },
    })
    expect(calls()).toBe(1)
    await close()
  })
})
