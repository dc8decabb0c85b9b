import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openLocal } from '../../src/cli/database.ts'
import type { BatchItem } from '../../src/schemas/batch.ts'
import { postJson } from '../local-server.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import { askDatabase, describePostgres, newDatabase } from '../storage/postgres-tools.ts'
import { batchJudgeAt, judgeAt, type MockCallOptions, startMockCalls } from './mock-calls.ts'
import { startProxy } from './provider-proxy.ts'
import { sleep } from './scene.ts'
import { tempFolder } from './service-process.ts'
import { answerBatchRequest, callsOf, callsOfAll, labelOf, labelsOf, makeTrials } from './trials.ts'
import { createFleet } from './worker-process.ts'

const CONCURRENCY = 8
/** A worker that is silent for so long loses its chunks. */
const HEARTBEAT_MS = 10_000

const TWICE = `SELECT count(*)::int AS n FROM (
  SELECT 1 FROM veridict.grades WHERE status <> 'failed' GROUP BY key HAVING count(*) > 1) AS twice`
const CALLS = 'SELECT process, count(*)::int AS calls FROM veridict.attempts GROUP BY process ORDER BY process'

describePostgres('workers on one PostgreSQL', (tools) => {
  /** Starts a service that runs nothing, the workers, and a judge; each test has a database of its own. */
  async function setUp(workers: number, mock: MockCallOptions) {
    const { calls, base_url } = await startMockCalls(mock)
    // Whoever dies keeps its share of the judge for as long as its calls may last.
    const config = { judges: judgeAt(base_url, CONCURRENCY), retry: { call_timeout_ms: 5000 } }
    const url = await newDatabase(tools().server)
    const fleet = createFleet(url, config)
    const service = await fleet.service()
    const first = await fleet.worker()
    const others = await Promise.all(Array.from({ length: workers - 1 }, () => fleet.worker()))
    const query = (text: string) => askDatabase(url, text)
    /** Posts a batch and waits until so many of its items are graded. */
    const postUntil = async (items: number, graded: number) => {
      const { id } = await service.post(makeTrials(items, 'mock'))
      await service.until(id, ({ counts }) => counts.graded >= graded)
      return id
    }
    /** Expects that the batch ends as it would have ended without the trouble, no item twice. */
    const expectWhole = async (id: string, items: number) => {
      expect(await service.end(id)).toMatchObject({ status: 'done', counts: { total: items, failed: 0 } })
      expect(await service.labels(id)).toEqual(labelsOf(items))
      expect(await query(TWICE)).toEqual([{ n: 0 }])
    }
    const stop = async (ended = [first, ...others]) => {
      for (const code of await Promise.all(ended.map((worker) => worker.stop()))) expect(code).toBe(0)
    }
    return { calls, service, first, others, query, postUntil, expectWhole, stop }
  }

  test('a service that runs nothing and two workers: each item once, each call once', async () => {
    const items = 600
    const { calls, service, query, expectWhole, stop } = await setUp(2, { latency_ms: () => 30 })
    const { id } = await service.post(makeTrials(items, 'mock'))
    // Progress is seen from where nothing runs.
    const seen = await service.until(id, ({ counts }) => counts.running > 0)
    expect(seen.counts.running).toBeLessThanOrEqual(2 * 2 * CONCURRENCY)
    const events = fetch(`${service.origin}/v1/batches/${id}/events`).then((response) => response.text())
    await expectWhole(id, items)
    expect(calls).toHaveLength(callsOfAll(items))
    expect(await query(CALLS)).toHaveLength(2)
    const told = await events
    expect(told).toMatch(/event: end\ndata: .*"status":"done"/)
    expect(told.match(/event: progress\ndata: .*"running":[1-9]/g)?.length).toBeGreaterThan(2)
    const recheck = await postJson(`${service.origin}/v1/regrades`, { query: { batch: id }, recheck: true })
    const { id: again } = (await recheck.json()) as { id: string }
    expect(await service.end(again)).toMatchObject({ kind: 'recheck', status: 'done', counts: { total: items } })
    expect((await service.labels(again)).sort()).toEqual(labelsOf(items).sort())
    expect(calls).toHaveLength(callsOfAll(items))
    await stop()
    expect(await service.stop()).toBe(0)
  })

  test('a worker that is killed: another goes on, and only what was in flight is paid for again', async () => {
    const items = 300
    const { calls, first, others, postUntil, expectWhole, stop } = await setUp(2, { latency_ms: () => 100 })
    const id = await postUntil(items, 60)
    await first.kill()
    const killed = Date.now()
    await expectWhole(id, items)
    process.stdout.write(`workers: ended ${Date.now() - killed} ms after one was killed\n`)
    expect(calls.length).toBeLessThanOrEqual(callsOfAll(items) + CONCURRENCY)
    await stop(others)
  })

  test('a worker that stands still until its chunks are another worker’s publishes nothing of them, and works on', async () => {
    const items = 600
    const { calls, service, first, query, expectWhole, stop } = await setUp(2, { latency_ms: () => 100 })
    const { id } = await service.post(makeTrials(items, 'mock'))
    // Both have begun: the one that is ready first could grade the forty alone.
    await vi.waitFor(async () => expect(await query(CALLS)).toHaveLength(2), { timeout: 60_000 })
    await service.until(id, ({ counts }) => counts.graded >= 40)
    first.child.kill('SIGSTOP')
    await sleep(HEARTBEAT_MS + 5000)
    await service.until(id, ({ counts }) => counts.graded >= 120)
    const before = await query(CALLS)
    first.child.kill('SIGCONT')
    await expectWhole(id, items)
    expect(calls.length).toBeLessThanOrEqual(callsOfAll(items) + CONCURRENCY)
    // The worker has taken new chunks since.
    const after = await query(CALLS)
    expect(after).toHaveLength(2)
    for (const [at, { calls: made }] of after.entries()) expect(made).toBeGreaterThan(Number(before[at]?.['calls']))
    await stop()
  })

  test('cancelled, and parked and resumed, from a service that runs nothing', async () => {
    let left = 30
    const { calls, service, stop } = await setUp(2, {
      latency_ms: () => 60,
      play: () => (left-- > 0 ? 'answer' : { status: 429, error: { code: 'insufficient_quota' } }),
    })
    // Many are left when the cancel arrives, however long that takes.
    const { id } = await service.post(makeTrials(800, 'mock'))
    expect(await service.end(id)).toMatchObject({ status: 'parked', resumes_at: null })
    // What was in flight elsewhere has heard the same by then.
    await sleep(1000)
    left = 10_000
    await service.tell(id, 'resume')
    await service.until(id, ({ counts }) => counts.graded >= 50)
    await service.tell(id, 'cancel')
    const batch = await service.until(id, ({ status }) => status === 'cancelled')
    expect(batch.counts.cancelled).toBeGreaterThan(0)
    expect(batch.counts.pending + batch.counts.running).toBe(0)
    const made = calls.length
    await sleep(500)
    expect(calls).toHaveLength(made)
    await stop()
  })

  test('work that no job tells of is found by a sweep: the batch still ends', async () => {
    const items = 200
    const { calls, query, postUntil, expectWhole } = await setUp(1, { latency_ms: () => 60 })
    const id = await postUntil(items, 30)
    await query("UPDATE veridict.batches SET status = 'parked', parked_reason = 'by hand'")
    // The worker has read it, and nothing is in flight any more.
    const sent = "SELECT count(*)::int AS n FROM veridict.attempts WHERE outcome = 'sent'"
    await vi.waitFor(async () => expect(await query(sent)).toEqual([{ n: 0 }]), { timeout: 60_000 })
    await query("UPDATE veridict.batches SET status = 'running', parked_reason = NULL")
    await expectWhole(id, items)
    expect(calls).toHaveLength(callsOfAll(items))
  })

  test('SIGTERM: what has not begun is given back at once, and nothing is paid for twice', async () => {
    const items = 200
    const { calls, first, postUntil, expectWhole, stop } = await setUp(2, { latency_ms: () => 100 })
    const id = await postUntil(items, 40)
    expect(await first.stop()).toBe(0)
    await expectWhole(id, items)
    expect(calls).toHaveLength(callsOfAll(items))
    await stop()
  })

  test('the server is away: nothing fails, and nothing that was answered is paid for again', async () => {
    const items = 200
    const { calls, postUntil, expectWhole, stop } = await setUp(2, { latency_ms: () => 60 })
    const id = await postUntil(items, 40)
    await tools().server.stop()
    await sleep(4000)
    await tools().server.start()
    await expectWhole(id, items)
    // Every reply that came meanwhile was held until it could be stored.
    expect(calls).toHaveLength(callsOfAll(items))
    await stop()
  })

  test('a command beside workers stores its batch, which workers run with their judges; a judge that only the command has waits', async () => {
    const mock = await startMockCalls({ latency_ms: () => 20 })
    const config = { judges: { theirs: judgeAt(mock.base_url, 4).mock } }
    const url = await newDatabase(tools().server)
    const fleet = createFleet(url, config)
    const service = await fleet.service()
    const file = join(tempFolder(), 'config.json')
    writeFileSync(file, JSON.stringify({ judges: { ...config.judges, ours: judgeAt(mock.base_url, 4).mock } }))
    const env = { VERIDICT_DATABASE_URL: url, VERIDICT_CONFIG: file, OPENAI_API_KEY: 'k' }
    const embedded = await openLocal(env)
    const store = async (count: number, judge: string) => {
      async function* items() {
        for (const item of makeTrials(count, judge)) yield { item: item as BatchItem, trajectory: null }
      }
      return (await embedded.createBatch(items())).id
    }
    const [theirs, ours] = [await store(20, 'theirs'), await store(2, 'ours')]
    const worker = await fleet.worker()
    expect(await service.end(theirs)).toMatchObject({ status: 'done', counts: { failed: 0 } })
    expect(await service.labels(theirs)).toEqual(labelsOf(20))
    await embedded.close()
    // The batch of the command’s own judge is not lost: it waits for a worker that has the judge.
    expect(await service.batch(ours)).toMatchObject({
      ...{ status: 'running', parked_reason: 'waiting: no worker for ours', calls: { made: 0 } },
    })
    expect(await worker.stop()).toBe(0)
  })

  test('a worker whose role lacks a right refuses to start and says so; a role that owns both schemas lacks none', async () => {
    const start = (url: string, role: string) => createFleet(url.replace(/\/\/.*@/, `//${role}:r@`), {}).worker()
    const url = await newDatabase(tools().server)
    const roles = ['reads', 'writes', 'owns'].map((role) => `CREATE ROLE ${role} LOGIN PASSWORD 'r'`).join(';')
    const owned = ['veridict', 'veridict_jobs'].map((name) => `CREATE SCHEMA ${name} AUTHORIZATION owns`).join(';')
    await askDatabase(url, `${roles};${owned}`)
    expect(await (await start(url, 'owns')).stop()).toBe(0)
    const grant = (rights: string, to: string) =>
      `GRANT ${rights} ON ALL TABLES IN SCHEMA veridict TO ${to}; GRANT ${rights === 'ALL' ? rights : 'USAGE'} ON SCHEMA veridict TO ${to}`
    await askDatabase(url, `${grant('SELECT', 'reads')};${grant('ALL', 'writes')}`)
    await expect(start(url, 'reads')).rejects.toThrow('cannot start: the user of the database may not do this (42501)')
    await expect(start(url, 'writes')).rejects.toThrow('cannot start: permission denied for schema veridict_jobs')
  })

  test('an item that gave way to an equal question in flight elsewhere is taken up again, though another judge has no worker', async () => {
    const { base_url, calls } = await startMockCalls({ latency_ms: ({ nth }) => (nth === 0 ? 6000 : 20) })
    const [judge] = [judgeAt(base_url, 4).mock]
    const url = await newDatabase(tools().server)
    const service = await createFleet(url, { judges: { theirs: judge, absent: judge } }).service()
    const worker = await createFleet(url, { judges: { theirs: judge } }).worker()
    const [trial, ...others] = makeTrials(2, 'theirs') as { item_id: string }[]
    const { item_id: _, ...single } = trial ?? { item_id: '' }
    const asking = postJson(`${service.origin}/v1/grades`, single)
    await vi.waitFor(() => expect(calls).toHaveLength(1), { timeout: 30_000 })
    const { id } = await service.post([trial ?? {}, { ...others[0], judge: 'absent' }])
    expect((await asking).status).toBe(201)
    const ended = await service.until(id, ({ counts }) => counts.graded === 1, 60_000)
    expect(ended).toMatchObject({ status: 'running', counts: { pending: 1 }, calls: { made: 0 } })
    expect(calls).toHaveLength(1)
    await service.until(id, ({ parked_reason }) => parked_reason === 'waiting: no worker for absent', 10_000)
    expect(await worker.stop()).toBe(0)
  })

  /** Starts a service that runs nothing and workers, with the batch endpoint of a provider that a submission reaches once `open` has resolved. */
  async function setUpProvider(options: Parameters<typeof startMockBatches>[0], workers: number, open?: Promise<void>) {
    const mock = await startMockBatches(options)
    let sent = 0
    const proxy = await startProxy(mock.origin, async ({ method, path }, phase) => {
      if (phase !== 'before' || method !== 'POST' || !path.endsWith('/batches')) return
      sent += 1
      await open
    })
    const fleet = createFleet(await newDatabase(tools().server), batchJudgeAt('openai', proxy.origin))
    const service = await fleet.service()
    const all = await Promise.all(Array.from({ length: workers }, () => fleet.worker()))
    return { mock, service, workers: all, sent: () => sent }
  }

  test('a submission that is being sent is sent by no other worker, however often the batch is resumed', async () => {
    const gate = Promise.withResolvers<void>()
    const { mock, service, sent } = await setUpProvider({ answer: answerBatchRequest }, 2, gate.promise)
    const { id } = await service.post(makeTrials(3, 'mock'), '?mode=provider')
    while (sent() === 0) await sleep(20)
    for (let resumed = 0; resumed < 4; resumed++) {
      await service.tell(id, 'resume')
      await sleep(1000)
    }
    expect(sent()).toBe(1)
    gate.resolve()
    expect(await service.end(id)).toMatchObject({ status: 'done', calls: { made: callsOfAll(3), unknown: 0 } })
    expect(mock.counts.requests_run).toBe(callsOfAll(3))
  })

  test('killed while the provider works: another fetches what it was sent, and sends nothing again', async () => {
    const { mock, service, workers } = await setUpProvider({ answer: answerBatchRequest }, 2)
    const runs = Array.from({ length: 40 }, (_, run) => run).filter((run) => labelOf(run) !== null)
    const calls = runs.reduce((sum, run) => sum + callsOf(run), 0)
    const trials = makeTrials(40, 'mock').filter((_, run) => labelOf(run) !== null)
    const { id } = await service.post(trials, '?mode=provider')
    while (mock.counts.submits === 0) await sleep(20)
    // Whichever worker sent the submission: the other goes on.
    await workers[0]?.kill()
    expect(await service.end(id)).toMatchObject({
      ...{ status: 'done', counts: { failed: 0 }, calls: { made: calls, unknown: 0 } },
    })
    expect(await service.labels(id)).toEqual(runs.map(labelOf))
    expect(mock.counts).toMatchObject({ submits: 2, requests_run: calls, single_calls: 0 })
    expect(await workers[1]?.stop()).toBe(0)
  })
})
