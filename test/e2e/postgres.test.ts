import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { toLines } from '../http/make-batch.ts'
import { describePostgres, newDatabase } from '../storage/postgres-tools.ts'
import { makeScene, sleep, type userOf } from './scene.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 100
const GOOD = callsOfAll(ITEMS)

/** Reads what a user sees of a batch at its end, without what differs from run to run: ids, times, and what a replayed reply saves. */
async function look(user: ReturnType<typeof userOf>, id: string) {
  // On PostgreSQL the calls of the killed process are lost by their age: the longest call and half a minute.
  const { status, counts, labels, failures } = await user.end(id, 120_000)
  const results = (await user.results(id)).map(({ item_id, status: end, label }) => ({ item_id, end, label }))
  const listed = await fetch(`${user.origin}/v1/grades?limit=200`)
  const { items } = (await listed.json()) as { items: Grade[] }
  const ids = items.map((grade) => grade.id)
  expect(ids).toEqual([...new Set(ids)].sort().reverse())
  return { status, counts, labels, failures, results, stored: items.map(({ label }) => label).sort() }
}

/** Runs a batch whose service is killed in the middle and started again. */
async function run(env: NodeJS.ProcessEnv) {
  const { calls, start } = await makeScene({
    ...{ latency_ms: () => 15, config: { retry: { call_timeout_ms: 10_000 } }, env },
  })
  const first = await start()
  const { id } = await first.post(makeTrials(ITEMS, 'mock'))
  await first.until(id, ({ counts }) => counts.graded >= 20)
  await first.kill()
  const second = await start()
  const seen = await look(second, id)
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
    expect(row).toEqual({ grades: ITEMS, twice: 0 })
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
