import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { BatchApi, Judge } from '../../src/judges/judge.ts'
import { GOOD_ANSWER, REQUEST, replyOf, scriptedJudge } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { askDatabase, describePostgres, newDatabase } from '../storage/postgres-tools.ts'
import { answeringJudge, makeItems, startBatch, untilBatch } from './make-batch.ts'

describePostgres('batches of several processes on one PostgreSQL', (tools) => {
  /** Starts processes on a database of their own. */
  async function makeDatabase() {
    const url = await newDatabase(tools().server)
    return {
      query: (text: string) => askDatabase(url, text),
      async start(judges: readonly Judge[], in_service: boolean): Promise<TestApp> {
        const workers = { in_service, most_in_flight: null, port: null }
        const app = await startApp({ env: { VERIDICT_DATABASE_URL: url }, config: { workers }, judges })
        await app.context.start()
        return app
      },
    }
  }

  const judge = () => answeringJudge(() => GOOD_ANSWER)

  test('a batch whose runs cannot be read is parked in the end', async () => {
    const { start, query } = await makeDatabase()
    const service = await start([judge()], false)
    const { id } = await startBatch(service, makeItems(2))
    await query("UPDATE veridict.trajectories SET document = '\\x00'::bytea")
    const worker = await start([judge()], true)
    while (!worker.logs.some((line) => line.includes('damaged'))) await delay(20)
    // That takes three tries with ten seconds between them.
    const parked = await untilBatch(service, id, ({ status }) => status === 'parked')
    expect(parked.parked_reason).toContain('damaged')
  }, 90_000)

  test('a worker without a judge leaves its items to those that have it; where nobody has, the batch says so', async () => {
    const { start } = await makeDatabase()
    const service = await start([judge()], false)
    const having = await start([answeringJudge(() => delay(30, GOOD_ANSWER))], true)
    const first = await startBatch(service, makeItems(1))
    await untilBatch(service, first.id, ({ status }) => status === 'done')
    // Such as one that was not yet started anew with the configuration of the others.
    await start([], true)
    const { id } = await startBatch(service, makeItems(100))
    const ends = await untilBatch(service, id, ({ status }) => status !== 'running')
    expect(ends).toMatchObject({ status: 'done', counts: { graded: 100 } })
    await having.stop()
    const other = await startBatch(service, makeItems(2, { cache: 'refresh' }))
    const waiting = await untilBatch(service, other.id, ({ parked_reason }) => parked_reason !== null)
    const { name } = judge().info
    const reason = `waiting: no worker for ${name}`
    expect(waiting).toMatchObject({ status: 'running', parked_reason: reason, waiting_for: 'worker' })
    await start([judge()], true)
    const done = await untilBatch(service, other.id, ({ status }) => status === 'done')
    expect(done).toMatchObject({ parked_reason: null, counts: { graded: 2 } })
    expect(done).not.toHaveProperty('waiting_for')
  }, 90_000)

  /** A provider whose answer to a submission takes until it is let go; then it has the batch. */
  function slowProvider() {
    const gate = Promise.withResolvers<void>()
    const submits: string[] = []
    const known = new Map<string, string>()
    const batch: BatchApi = {
      most_requests: 100,
      most_bytes: 1_000_000,
      price_factor: 0.5,
      encode: (custom_id) => JSON.stringify({ custom_id }),
      async submit({ id }) {
        submits.push(id)
        await gate.promise
        const provider_id = `provider_${submits.length}`
        known.set(id, provider_id)
        return provider_id
      },
      find: async ({ id }) => known.get(id) ?? null,
      poll: async () => ({ state: 'in_progress', detail: '' }),
      results: async function* () {},
      cancel: async () => undefined,
    }
    return { submits, open: () => gate.resolve(), make: (): Judge => ({ ...judge(), batch }) }
  }

  test('a submission that is being sent is sent by no other worker, however often the batch is resumed', async () => {
    const { start, query } = await makeDatabase()
    const provider = slowProvider()
    const service = await start([provider.make()], false)
    for (const _worker of [1, 2]) await start([provider.make()], true)
    const { id } = await startBatch(service, makeItems(3), '?mode=provider')
    while (provider.submits.length === 0) await delay(20)
    for (let resumed = 0; resumed < 4; resumed++) {
      await service.post(`/v1/batches/${id}/resume`, {})
      await delay(1000)
    }
    provider.open()
    const submitted = "SELECT count(*)::int AS n FROM veridict.submissions WHERE status = 'submitted'"
    while ((await query(submitted))[0]?.['n'] !== 1) await delay(50)
    await service.post(`/v1/batches/${id}/cancel`, {})
    expect(provider.submits).toHaveLength(1)
  }, 60_000)
})

describePostgres('several services on one PostgreSQL', (tools) => {
  /** Starts two services with a judge each that waits until the test opens the gate; the calls of both are counted together. */
  async function startTwo() {
    const url = await newDatabase(tools().server)
    const gate = Promise.withResolvers<void>()
    let calls = 0
    const judge = (): Judge => ({
      info: scriptedJudge([]).info,
      ask: async () => {
        calls += 1
        await gate.promise
        return replyOf(GOOD_ANSWER)
      },
    })
    const start = () => startApp({ env: { VERIDICT_DATABASE_URL: url }, judges: [judge()] })
    return { a: await start(), b: await start(), calls: () => calls, open: () => gate.resolve() }
  }

  const KEYED = { 'idempotency-key': 'once' }

  test('an Idempotency-Key counts for both: one answer, and 409 for whoever asks meanwhile', async () => {
    const { a, b, calls, open } = await startTwo()
    const first = a.post('/v1/grades', REQUEST, KEYED)
    await expect.poll(calls, { timeout: 10_000 }).toBe(1)
    const meanwhile = await b.post('/v1/grades', REQUEST, KEYED)
    expect(meanwhile.statusCode).toBe(409)
    expect(meanwhile.json()).toMatchObject({ code: 'idempotency_key_in_use' })
    expect(meanwhile.headers['retry-after']).toBe('1')
    // Another key is another request, and shares the call.
    const other = b.post('/v1/grades', REQUEST, { 'idempotency-key': 'twice' })
    open()
    const answered = await first
    expect(answered.statusCode).toBe(201)
    const { label, receipt } = (await other).json()
    expect([label, receipt.attempts[0].id]).toEqual([answered.json().label, answered.json().receipt.attempts[0].id])
    const again = await b.post('/v1/grades', REQUEST, KEYED)
    expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([201, answered.body, 'true'])
    const changed = await b.post('/v1/grades', { ...REQUEST, samples: 3 }, KEYED)
    expect([changed.statusCode, changed.json().code]).toEqual([422, 'idempotency_key_reused'])
    expect(calls()).toBe(1)
  })
})
