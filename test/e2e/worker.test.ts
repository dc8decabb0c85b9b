import { expect, test, vi } from 'vitest'
import { askDatabase, newDatabase } from '../storage/new-database.ts'
import { describePostgres, type PostgresTools } from '../storage/postgres-tools.ts'
import { getBatch, getResults, postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { judgeAt, type MockCallOptions, startMockCalls } from './mock-calls.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'
import { createFleet } from './worker-process.ts'

const CONCURRENCY = 8
/** A worker that is silent for so long loses its chunks. */
const HEARTBEAT_MS = 10_000

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A service that runs nothing, and a judge; each test has a database of its own. */
async function setUp(tools: PostgresTools, mock: MockCallOptions) {
  const calls = await startMockCalls(mock)
  const judges = judgeAt(calls.base_url, CONCURRENCY)
  // Whoever dies keeps its share of the judge for as long as its calls may last.
  const config = { judges, retry: { call_timeout_ms: 5000 } }
  const url = await newDatabase(tools.server)
  const fleet = createFleet(url, config)
  const { process: service, origin } = await fleet.service()
  const query = (text: string) => askDatabase(url, text.replaceAll('{schema}', 'veridict'))
  return { calls: calls.calls, fleet, service, origin, query }
}

const TWICE = `SELECT count(*)::int AS n FROM (
  SELECT 1 FROM {schema}.grades WHERE status <> 'failed' GROUP BY key HAVING count(*) > 1) AS twice`

const CALLS = 'SELECT process, count(*)::int AS calls FROM {schema}.attempts GROUP BY process ORDER BY process'

describePostgres('workers on one PostgreSQL', (tools) => {
  test('a service that runs nothing and two workers: each item once, each call once', async () => {
    const items = 600
    const { calls, fleet, service, origin, query } = await setUp(tools(), { latency_ms: () => 30 })
    const workers = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    // Progress is seen from where nothing runs.
    const seen = await waitUntil(origin, id, ({ counts }) => counts.running > 0)
    expect(seen.counts.running).toBeLessThanOrEqual(2 * 2 * CONCURRENCY)
    const events = readEvents(origin, id)
    expect(await waitForEnd(origin, id, 90_000)).toMatchObject({ status: 'done', counts: { total: items, failed: 0 } })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(labelsOf(items))
    expect(calls).toHaveLength(callsOfAll(items))
    expect(await query(TWICE)).toEqual([{ n: 0 }])
    expect(await query('SELECT count(DISTINCT process)::int AS n FROM {schema}.attempts')).toEqual([{ n: 2 }])
    const told = await events
    expect(told.at(-1)).toMatchObject({ event: 'end', status: 'done' })
    expect(told.filter(({ event, running }) => event === 'progress' && running > 0).length).toBeGreaterThan(2)
    const recheck = await fetch(`${origin}/v1/regrades`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: { batch: id }, recheck: true }),
    })
    const { id: again } = (await recheck.json()) as { id: string }
    expect(await waitForEnd(origin, again)).toMatchObject({ kind: 'recheck', status: 'done', counts: { total: items } })
    const rechecked = (await getResults(origin, again)).map(({ label }) => label)
    expect(rechecked.sort()).toEqual(labelsOf(items).sort())
    expect(calls).toHaveLength(callsOfAll(items))
    expect(await Promise.all([...workers.map((one) => one.stop()), service.stop()])).toEqual([0, 0, 0])
  }, 120_000)

  test('a worker that is killed: another goes on, and only what was in flight is paid for again', async () => {
    const items = 300
    const { calls, fleet, origin, query } = await setUp(tools(), { latency_ms: () => 100 })
    const [first, second] = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 60)
    await first.kill()
    const killed = Date.now()
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    process.stdout.write(`workers: ended ${Date.now() - killed} ms after one was killed\n`)
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(labelsOf(items))
    expect(await query(TWICE)).toEqual([{ n: 0 }])
    expect(calls.length).toBeLessThanOrEqual(callsOfAll(items) + CONCURRENCY)
    expect(await second.stop()).toBe(0)
  }, 120_000)

  test('a worker that stands still until its chunks are another worker’s publishes nothing of them, and works on', async () => {
    const items = 600
    const { calls, fleet, origin, query } = await setUp(tools(), { latency_ms: () => 100 })
    const [first, second] = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    // Both have begun: the one that is ready first could grade the forty alone.
    await vi.waitFor(async () => expect(await query(CALLS)).toHaveLength(2), { timeout: 20_000 })
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 40)
    first.pause()
    await sleep(HEARTBEAT_MS + 5000)
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 120)
    const before = await query(CALLS)
    first.goOn()
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(labelsOf(items))
    expect(await query(TWICE)).toEqual([{ n: 0 }])
    expect(calls.length).toBeLessThanOrEqual(callsOfAll(items) + CONCURRENCY)
    // The worker has taken new chunks since.
    const after = await query(CALLS)
    expect(after).toHaveLength(2)
    for (const [at, { calls: made }] of after.entries()) expect(made).toBeGreaterThan(Number(before[at]?.['calls']))
    expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0])
  }, 120_000)

  test('cancelled, and parked and resumed, from a service that runs nothing', async () => {
    const items = 200
    let left = 30
    const { calls, fleet, origin } = await setUp(tools(), {
      latency_ms: () => 60,
      play: () => (left-- > 0 ? 'answer' : { status: 429, error: { code: 'insufficient_quota' } }),
    })
    const workers = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    expect(await waitForEnd(origin, id)).toMatchObject({ status: 'parked', resumes_at: null })
    // What was in flight elsewhere has heard the same by then.
    await sleep(1000)
    left = 10_000
    expect((await postTo(origin, `/v1/batches/${id}/resume`)).status).toBe(202)
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 50)
    expect((await postTo(origin, `/v1/batches/${id}/cancel`)).status).toBe(202)
    const batch = await waitUntil(origin, id, ({ status }) => status === 'cancelled', 45_000)
    expect(batch.counts.cancelled).toBeGreaterThan(0)
    expect(batch.counts.pending + batch.counts.running).toBe(0)
    const made = calls.length
    await sleep(500)
    expect(calls).toHaveLength(made)
    expect(await Promise.all(workers.map((one) => one.stop()))).toEqual([0, 0])
  }, 120_000)

  test('work that no job tells of is found by a sweep: the batch still ends', async () => {
    const items = 200
    const { calls, fleet, origin, query } = await setUp(tools(), { latency_ms: () => 60 })
    await fleet.worker()
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 30)
    await query("UPDATE {schema}.batches SET status = 'parked', parked_reason = 'by hand'")
    // The worker has read it, and nothing is in flight any more.
    const sent = "SELECT count(*)::int AS n FROM {schema}.attempts WHERE outcome = 'sent'"
    await vi.waitFor(async () => expect(await query(sent)).toEqual([{ n: 0 }]), { timeout: 20_000 })
    await query("UPDATE {schema}.batches SET status = 'running', parked_reason = NULL")
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect(calls).toHaveLength(callsOfAll(items))
  }, 120_000)

  test('SIGTERM: what has not begun is given back at once, and nothing is paid for twice', async () => {
    const items = 200
    const { calls, fleet, origin } = await setUp(tools(), { latency_ms: () => 100 })
    const [first, second] = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 40)
    expect(await first.stop()).toBe(0)
    expect(await waitForEnd(origin, id, 60_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect(calls).toHaveLength(callsOfAll(items))
    expect(await second.stop()).toBe(0)
  }, 120_000)

  test('the server is away: nothing fails, and nothing that was answered is paid for again', async () => {
    const items = 200
    const { calls, fleet, origin, query } = await setUp(tools(), { latency_ms: () => 60 })
    const workers = await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await postBatch(origin, makeTrials(items, 'mock'))
    await waitUntil(origin, id, ({ counts }) => counts.graded >= 40)
    await tools().server.stop()
    await sleep(4000)
    await tools().server.start()
    expect(await waitForEnd(origin, id, 90_000)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect((await getResults(origin, id)).map(({ label }) => label)).toEqual(labelsOf(items))
    expect(await query(TWICE)).toEqual([{ n: 0 }])
    // Every reply that came meanwhile was held until it could be stored.
    expect(calls).toHaveLength(callsOfAll(items))
    expect(await Promise.all(workers.map((one) => one.stop()))).toEqual([0, 0])
  }, 150_000)

  test('a small batch behind a large one does not wait for its end', async () => {
    const { fleet, origin } = await setUp(tools(), { latency_ms: () => 60 })
    await fleet.worker()
    const large = await postBatch(origin, makeTrials(250, 'mock'))
    await waitUntil(origin, large.id, ({ counts }) => counts.graded >= 10)
    const small = await postBatch(origin, makeTrials(266, 'mock').slice(250))
    expect(await waitForEnd(origin, small.id)).toMatchObject({ status: 'done' })
    expect((await getBatch(origin, large.id)).counts.pending).toBeGreaterThan(50)
    expect((await postTo(origin, `/v1/batches/${large.id}/cancel`)).status).toBe(202)
    await waitUntil(origin, large.id, ({ status }) => status === 'cancelled', 45_000)
  }, 60_000)

  // The last: its judge is paused for all processes, for up to a minute.
  test('parked until a time: it is gone on with then, whoever parked it', async () => {
    const { fleet, origin, query } = await setUp(tools(), {
      latency_ms: () => 30,
      play: () => ({ status: 429, error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '3600' } }),
    })
    const worker = await fleet.worker()
    const { id } = await postBatch(origin, makeTrials(60, 'mock'))
    expect(await waitForEnd(origin, id)).toMatchObject({ status: 'parked', resumes_at: expect.any(String) })
    await worker.kill()
    await query(`UPDATE {schema}.batches SET resumes_at = '${new Date(Date.now() + 2000).toISOString()}'`)
    await waitUntil(origin, id, ({ status }) => status === 'running', 45_000)
    expect((await postTo(origin, `/v1/batches/${id}/cancel`)).status).toBe(202)
    // A call that the killed worker had in flight is lost after 35 s: its item is spared until then.
    await waitUntil(origin, id, ({ status }) => status === 'cancelled', 90_000)
  }, 150_000)
})

interface Told {
  readonly event: string
  readonly status: string
  readonly running: number
}

/** All events of a batch until its end. */
async function readEvents(origin: string, id: string): Promise<Told[]> {
  const text = await (await fetch(`${origin}/v1/batches/${id}/events`)).text()
  return text.split('\n\n').flatMap((block) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
    if (event === undefined || data === undefined) return []
    const { status, counts } = JSON.parse(data) as Awaited<ReturnType<typeof getBatch>>
    return [{ event, status, running: counts.running }]
  })
}
