import { mkdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { planOf } from '../../src/batches/intake.ts'
import { createLocalJobs } from '../../src/batches/jobs.ts'
import type { BatchDeps, Trouble } from '../../src/batches/run-chunk.ts'
import { createBatchService } from '../../src/batches/service.ts'
import type { BatchStore, Chunk } from '../../src/db/batches.ts'
import { openSqliteStores, type Stores } from '../../src/db/stores.ts'
import type { Judge } from '../../src/judges/judge.ts'
import type { Batch, BatchItem } from '../../src/schemas/batch.ts'
import { answeringJudge, finish, makeItems, startBatch, untilBatch } from '../http/make-batch.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { ask as reserveCall } from '../storage/contract-reserve.ts'
import { begin, finishOk, planAttempt } from '../storage/make-attempt.ts'
import { AT, openBatch } from '../storage/make-batch.ts'
import { tempDatabase } from '../storage/temp-folder.ts'
import { fakeClock, GOOD_ANSWER } from './harness.ts'

const judgeOf = () => answeringJudge(() => GOOD_ANSWER)

/** A judge whose calls wait until the test opens the gate. */
function gatedJudge() {
  const gate = Promise.withResolvers<void>()
  const judge = answeringJudge(async () => {
    await gate.promise
    return GOOD_ANSWER
  })
  return { ...judge, open: () => gate.resolve() }
}

type Start = (judges: readonly Judge[], given?: { readonly adopts_batches?: boolean }) => Promise<TestApp>

/** Starts services and commands on one SQLite file, with one call at once; the test stops them, or its end. */
function onOneFile(): { start: Start; path: string } {
  const path = tempDatabase()
  const start: Start = async (judges, given = {}) => {
    const config = { concurrency: { initial: 1, min: 1, max: 1 } }
    const app = await startApp({ env: { VERIDICT_DATABASE: path }, config, judges, ...given })
    const { stop } = app
    let stopped: Promise<void> | undefined
    app.stop = () => {
      stopped ??= stop()
      return stopped
    }
    onTestFinished(() => app.stop())
    if (given.adopts_batches !== false) await app.context.start()
    return app
  }
  return { start, path }
}
const COMMAND = { adopts_batches: false }
const WAIT = { timeout: 15_000 }

describe('the run lock of an SQLite file', () => {
  test('a second service waits for it, and goes on with the batches of the first', async () => {
    const { start } = onOneFile()
    const [first, second] = [gatedJudge(), judgeOf()]
    const before = await start([first])
    const after = await start([second])
    const { id } = await startBatch(before, makeItems(4))
    await expect.poll(() => first.calls, WAIT).toEqual([0])
    const stopping = before.stop()
    first.open()
    await stopping
    const { batch } = await finish(after, id)
    expect(batch).toMatchObject({ status: 'done', counts: { graded: 4 }, calls: { made: 4, unknown: 0 } })
    expect([first.calls, second.calls]).toEqual([[0], [1, 2, 3]])
  })

  test('a command takes up no batch that earlier processes left', async () => {
    const { start } = onOneFile()
    const [holding, judge] = [gatedJudge(), judgeOf()]
    const first = await start([holding])
    await startBatch(first, makeItems(1))
    await expect.poll(() => holding.calls, WAIT).toEqual([0])
    const command = await start([judge], COMMAND)
    const own = await startBatch(command, makeItems(3).slice(1))
    first.context.stores.run_lock?.release()
    expect((await finish(command, own.id)).batch).toMatchObject({ status: 'done' })
    expect(judge.calls).toEqual([1, 2])
    holding.open()
  })

  test('a command learns that it cannot be used, and parks its batch', async () => {
    const { start, path } = onOneFile()
    mkdirSync(`${path}.run`, { recursive: true })
    const command = await start([judgeOf()], COMMAND)
    const items = makeItems(1)
    const answer = await command.post('/v1/batches', { items })
    expect(answer.statusCode).toBeGreaterThanOrEqual(500)
    await command.stop()
    const other = await start([judgeOf()], COMMAND)
    const [batch] = (await other.get('/v1/batches')).json<{ items: Batch[] }>().items
    expect(batch).toMatchObject({ status: 'parked', counts: { pending: 1 } })
  })
})

test('the beginnings of all batches come first', async () => {
  const { start } = onOneFile()
  const judge = gatedJudge()
  const app = await start([judge])
  const items = makeItems(80)
  const first = await startBatch(app, items.slice(0, 40))
  await expect.poll(() => judge.calls, WAIT).toEqual([0])
  const second = await startBatch(app, items.slice(40))
  judge.open()
  for (const { id } of [first, second]) expect((await finish(app, id)).batch.status).toBe('done')
  const chunks = judge.calls.map((run) => (run < 40 ? `first ${run >> 4}` : `second ${(run - 40) >> 4}`))
  expect([...new Set(chunks)]).toEqual(['first 0', 'second 0', 'first 1', 'second 1', 'first 2', 'second 2'])
})

test('a batch whose money the calls of others reserve rests, says why, and holds no place of other batches', async () => {
  const { start } = onOneFile()
  const app = await start([judgeOf()])
  const { stores, batches } = app.context
  const payer = { key_id: 'key_a', max_cost_usd_per_day: 1 }
  const held = { judge: 'elsewhere', payer: payer.key_id, reserved_usd: 1, started_at: new Date().toISOString() }
  await begin(stores, planAttempt('att_held', held))
  const poor = await batches.create(
    planOf({}, payer),
    (async function* () {
      for (const item of makeItems(20)) yield { item: item as BatchItem, place: '' }
    })(),
  )
  const rich = await startBatch(app, makeItems(40).slice(20))
  expect((await finish(app, rich.id)).batch).toMatchObject({ status: 'done', counts: { graded: 20 } })
  const resting = await untilBatch(app, poor.id, ({ status }) => status === 'parked')
  const reason = expect.stringMatching(
    /^scripted: budget_exceeded: the limit of this key .* is \$1, of which \$1 is spent or reserved/,
  )
  expect(resting).toMatchObject({ parked_reason: reason, resumes_at: expect.any(String), calls: { made: 0 } })
  await stores.attempts.finish({ ...finishOk('att_held'), cost_usd: 0 })
  await app.tell(`/v1/batches/${poor.id}/resume`, undefined, 202)
  expect((await finish(app, poor.id)).batch).toMatchObject({ status: 'done', counts: { graded: 20 } })
})

test('a batch whose calls in flight are all late says so, and when lost calls are made again', async () => {
  const stores = openSqliteStores({ path: ':memory:' })
  onTestFinished(() => stores.close())
  await openBatch(stores, 'bat_1', 2)
  await reserveCall(stores, 'att_1', 0, { batch: 'bat_1', item: 0 })
  const viewAfter = async (ms: number) => {
    const clock = { now: () => new Date(Date.parse(AT) + ms), sleep: () => delay(1) }
    const deps = { stores, clock, judges: new Map(), jobs: createLocalJobs(() => 1, clock), lost_ms: 150_000 }
    return createBatchService(deps as unknown as BatchDeps).get('bat_1')
  }
  expect(await viewAfter(29_000)).toMatchObject({ counts: { running: 1 }, parked_reason: null })
  const late = await viewAfter(31_000)
  const reason = expect.stringMatching(
    /^waiting: 1 item without an answer for 31 s: .*made again after 2026-11-21T00:02:30.000Z$/,
  )
  expect(late).toMatchObject({ counts: { running: 1 }, waiting_for: 'answers', parked_reason: reason })
})

describe('trouble', () => {
  /** Starts an engine without judges over stores with two batches that are to end, on a clock that goes as fast as it is waited for. */
  async function startEngine(given: (stores: Stores) => Partial<BatchStore>) {
    const stores = openSqliteStores({ path: ':memory:' })
    for (const id of ['bat_1', 'bat_2']) await openBatch(stores, id, 0)
    const clock = { ...fakeClock(), sleep: () => delay(1) }
    const troubles: string[] = []
    const engine = createBatchService({
      stores: { ...stores, batches: { ...stores.batches, ...given(stores) } },
      ...{ clock, judges: new Map(), jobs: createLocalJobs(() => 1, clock), poll_ms: 1, lost_ms: 1 },
      ...{ adopts: true, works: true, newId: () => 'bat_0', notify: () => undefined, onStatus: () => undefined },
      onTrouble: ({ batch, error }: Trouble) => void troubles.push(`${batch} ${(error as Error).message}`),
    } as unknown as BatchDeps)
    await engine.start()
    return { stores, engine, troubles }
  }

  test('with one batch is told, and keeps no other waiting', async () => {
    const { stores, engine, troubles } = await startEngine(({ batches }) => ({
      finish: async (id, at) => {
        if (id === 'bat_1') throw new Error('damaged')
        return batches.finish(id, at)
      },
    }))
    expect((await stores.batches.list({ status: 'running', limit: 9 })).map(({ id }) => id)).toEqual(['bat_1'])
    expect(troubles).toEqual(['bat_1 damaged'])
    await engine.stop()
  })

  test('with the database is told once, and the database is asked again', async () => {
    let looks = 0
    const { stores, engine, troubles } = await startEngine(({ batches }) => ({
      listDue: async (now) => {
        looks += 1
        if (looks > 1 && looks < 5) throw new Error('away')
        return looks === 1 ? [] : batches.listDue(now)
      },
    }))
    await expect.poll(async () => (await stores.batches.plan('bat_2'))?.status, WAIT).toBe('done')
    await engine.stop()
    expect(troubles).toEqual([' away'])
  })
})

describe('the jobs of one process', () => {
  const chunk = (n: number, batch = 'bat_1'): Chunk => ({ batch, chunk: n, judge: 'ours' })

  /** Jobs whose chunks run until the test ends them. */
  async function working() {
    const clock = fakeClock()
    const jobs = createLocalJobs(() => 1, clock)
    const runs: string[] = []
    const gates: (() => void)[] = []
    const polls: (number | null)[] = [10, 20, 30, null]
    await jobs.start(['ours'], async ({ batch, chunk: n }) => {
      if (n === null) return polls.shift() ?? null
      runs.push(`${batch} ${n}`)
      await new Promise<void>((resolve) => gates.push(resolve))
      return null
    })
    const next = async () => {
      await vi.waitFor(() => expect(gates).not.toEqual([]))
      gates.shift()?.()
    }
    return { jobs, runs, next, clock, polls }
  }

  test('run a chunk that is added again once while it waits, and once more while it runs; leave other judges alone', async () => {
    const { jobs, runs, next } = await working()
    for (let n = 0; n < 3; n++) await jobs.add([chunk(0), chunk(1), { ...chunk(0), judge: 'theirs' }])
    expect([...(await jobs.busy())]).toEqual(['bat_1'])
    // A chunk that runs may have read its batch as parked, which was resumed meanwhile.
    for (let n = 0; n < 3; n++) await next()
    await vi.waitFor(async () => expect((await jobs.busy()).size).toBe(0))
    expect(runs.toSorted()).toEqual(['bat_1 0', 'bat_1 0', 'bat_1 1'])
    await jobs.add([chunk(0)])
    await next()
    expect(runs).toHaveLength(4)
  })

  test('stop once the chunk that runs has ended, and begin no other', async () => {
    const { jobs, runs, next } = await working()
    await jobs.add([chunk(0), chunk(1), chunk(2)])
    await vi.waitFor(() => expect(runs).toEqual(['bat_1 0']))
    const stopping = jobs.stop()
    await next()
    await stopping
    await jobs.add([chunk(3)])
    expect(runs).toEqual(['bat_1 0'])
  })

  test('poll a provider at the times that each step asks for, until nothing lies with the provider', async () => {
    const { jobs, clock, polls } = await working()
    for (let n = 0; n < 2; n++) await jobs.add([{ batch: 'bat_1', judge: 'ours', chunk: null }])
    await vi.waitFor(async () => expect((await jobs.busy()).size).toBe(0))
    expect([clock.slept, polls]).toEqual([[10, 20, 30], []])
  })
})
