import { expect, test } from 'vitest'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { toLines } from '../http/make-batch.ts'
import { postJson } from '../local-server.ts'
import { describePostgres, newDatabase } from '../storage/postgres-tools.ts'
import { makeScene, sleep, type userOf } from './scene.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 100
const GOOD = callsOfAll(ITEMS)

/** What a user sees of a batch, without what differs from run to run: ids, times, and what a replayed reply saves. */
interface Seen {
  readonly batch: Pick<Batch, 'status' | 'counts' | 'labels' | 'failures'>
  readonly results: readonly (Pick<BatchResult, 'item_id' | 'status' | 'label'> & { readonly index: number })[]
  /** Of all grades: how many stand on each page, and their labels, sorted: which of two neighbours is first is a matter of time. */
  readonly pages: { readonly sizes: readonly number[]; readonly labels: readonly string[] }
  readonly single: Pick<Grade, 'status' | 'label' | 'notes' | 'citations' | 'votes'>
}

const ask = async <T>(origin: string, path: string, body?: string): Promise<T> => {
  const response = await (body === undefined ? fetch(origin + path) : postJson(origin + path, body))
  const text = await response.text()
  expect(response.ok, `${path} ${response.status} ${text}`).toBe(true)
  return JSON.parse(text) as T
}

async function readPages(origin: string): Promise<Seen['pages']> {
  const pages: Grade[][] = []
  for (let query = 'limit=37'; ; ) {
    const page = await ask<{ items: Grade[]; next_cursor: string | null }>(origin, `/v1/grades?${query}`)
    pages.push(page.items)
    if (page.next_cursor === null) break
    query = `limit=37&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  const ids = pages.flat().map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort().reverse())
  const labels = pages.flat().map(({ status, label }) => `${status} ${label}`)
  return { sizes: pages.map((page) => page.length), labels: labels.sort() }
}

async function look(user: ReturnType<typeof userOf>, id: string, single: Grade): Promise<Seen> {
  // On PostgreSQL the calls of the killed process are lost by their age: the longest call and half a minute.
  const { status, counts, labels, failures } = await user.end(id, 120_000)
  const results = await user.results(id)
  const { notes, citations, votes } = single
  return {
    batch: { status, counts, labels, failures },
    results: results.map(({ item_id, status: end, label }, index) => ({ index, item_id, status: end, label })),
    pages: await readPages(user.origin),
    single: { status: single.status, label: single.label, notes, citations, votes },
  }
}

/** One grade, then a batch whose service is killed in the middle and started again. */
async function run(env: NodeJS.ProcessEnv) {
  const { calls, start } = await makeScene({
    ...{ latency_ms: () => 15, config: { retry: { call_timeout_ms: 10_000 } }, env },
  })
  const first = await start()
  const [one] = makeTrials(1, 'lexical') as { item_id: string }[]
  const { item_id: _, ...request } = one ?? { item_id: '' }
  const single = await ask<Grade>(first.origin, '/v1/grades', JSON.stringify(request))
  const { id } = await first.post(makeTrials(ITEMS, 'mock'))
  await first.until(id, ({ counts }) => counts.graded >= 20)
  await first.kill()
  const second = await start()
  const seen = await look(second, id, single)
  // The same batch again is answered from what is stored.
  const again = await second.post(makeTrials(ITEMS, 'mock'))
  expect(await second.end(again.id)).toMatchObject({ status: 'done', cached: ITEMS })
  expect(await second.stop()).toBe(0)
  return { seen, calls: calls.length, services: [first, second] }
}

describePostgres('a service on PostgreSQL', (tools) => {
  test('answers what a service on SQLite answers, killed in the middle or not', async () => {
    const { server } = tools()
    const here = await run({ VERIDICT_DATABASE_URL: server.url })
    const there = await run({})
    expect(here.seen).toEqual(there.seen)
    expect(here.seen.results.map(({ label }) => label)).toEqual(labelsOf(ITEMS))
    // At most the calls in flight at the kill are made again.
    for (const { calls } of [here, there]) {
      expect(calls).toBeGreaterThanOrEqual(GOOD)
      expect(calls).toBeLessThanOrEqual(GOOD + 4)
    }
    const [row] = await server.query(`
      SELECT (SELECT count(*)::int FROM veridict.grades) AS grades,
        (SELECT count(*)::int FROM (SELECT 1 FROM veridict.grades GROUP BY key HAVING count(*) > 1) AS twice) AS twice`)
    expect(row).toEqual({ grades: ITEMS + 1, twice: 0 })
    expect(here.services.flatMap(({ output }) => output).join('')).not.toMatch(/p@ss|p%40ss/)
  }, 240_000)

  test('goes on when the server was away: 503 meanwhile, nothing that fails, nothing that is lost', async () => {
    const { server } = tools()
    const env = { VERIDICT_DATABASE_URL: await newDatabase(server) }
    const { calls, start } = await makeScene({ latency_ms: () => 20, env })
    const service = await start()
    const { id } = await service.post(makeTrials(ITEMS, 'mock'))
    await service.until(id, ({ counts }) => counts.graded >= 20)
    await server.stop()
    const refused = await fetch(`${service.origin}/v1/batches/${id}`)
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'storage_busy'])
    const posted = await fetch(`${service.origin}/v1/batches`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: toLines(makeTrials(3, 'mock')),
    })
    expect(posted.status).toBe(503)
    await sleep(3000)
    await server.start()
    const batch = await service.end(id)
    expect(batch).toMatchObject({ status: 'done', counts: { total: ITEMS, graded: expect.any(Number), failed: 0 } })
    expect(await service.labels(id)).toEqual(labelsOf(ITEMS))
    expect(await service.stop()).toBe(0)
    expect(calls.length).toBeLessThanOrEqual(GOOD + 4)
  }, 120_000)
})
