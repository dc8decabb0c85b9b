import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Batch, BatchEstimate, BatchResult } from '../../src/schemas/batch.ts'
import { readLines, toLines } from '../http/make-batch.ts'
import { runNode } from '../run-to-end.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { makeScene } from './scene.ts'
import { labelsOf, makeTrials } from './trials.ts'
import { createFleet } from './worker-process.ts'

/** A call may cost $0.17 and costs $0.0005; all 200 items together cost $0.15. */
const CAP_USD = 1
const PRICE = { input: 2, output: 10, cache_read: 0.2, cache_write: 2, as_of: '2026-11-01' }
const ENOUGH = 60

const setUp = (latency_ms = 2) => makeScene({ latency_ms: () => latency_ms, concurrency: 16, judge: { price: PRICE } })

function expectGraded(items: number, batch: Batch, results: readonly BatchResult[]): void {
  expect(batch).toMatchObject({ status: 'done', failures: {}, uncertain_usd: 0, counts: { total: items, failed: 0 } })
  expect(results.map(({ label }) => label)).toEqual(labelsOf(items))
  expect(batch.cost_usd).toBeGreaterThan(0)
  expect(batch.cost_usd).toBeLessThanOrEqual(CAP_USD)
}

test('a service grades 200 cheap items under a cap that holds five calls at their whole output limit', async () => {
  const { calls, start, ledger } = await setUp()
  const service = await start()
  const { id } = await service.post(makeTrials(200, 'mock'), `?max_cost_usd=${CAP_USD}`)
  const batch = await service.end(id)
  expectGraded(200, batch, await service.results(id))
  expect(await service.stop()).toBe(0)
  expect(ledger()).toMatchObject({ paid_twice: 0, graded_twice: 0, calls: calls.length })
  expect(ledger().cost_usd).toBeCloseTo(batch.cost_usd ?? 0, 9)
}, 120_000)

test('killed under a cap: what was in flight counts as spent, and the next process stays below it', async () => {
  const { start, ledger } = await setUp(15)
  const first = await start()
  const { id } = await first.post(makeTrials(ENOUGH, 'mock'), `?max_cost_usd=${CAP_USD}`)
  await first.until(id, ({ counts }) => counts.graded > 5)
  await first.kill()
  const second = await start()
  const batch = await second.end(id)
  expect(await second.stop()).toBe(0)
  expect((batch.cost_usd ?? 0) + batch.uncertain_usd).toBeLessThanOrEqual(CAP_USD + 1e-9)
  const { graded, unverified, failed } = batch.counts
  expect([graded + unverified + failed, batch.failures['budget_exceeded'] ?? 0]).toEqual([ENOUGH, failed])
  expect(ledger()).toMatchObject({ paid_twice: 0, graded_twice: 0 })
}, 60_000)

test('the command grades them in its own process', async () => {
  const { config, folder, database } = await setUp()
  const [trials, file] = [join(folder, 'trials.ndjson'), join(folder, 'config.json')]
  writeFileSync(trials, toLines(makeTrials(ENOUGH, 'mock')))
  writeFileSync(file, JSON.stringify(config))
  const env = { VERIDICT_DATABASE: database, VERIDICT_CONFIG: file, OPENAI_API_KEY: 'test-key' }
  const run = (...args: string[]) => runNode(['src/cli.ts', ...args], env)
  const dryRun = async () =>
    readLines<BatchEstimate>(
      (await run('batch', trials, '-j', 'mock', '--cache', 'refresh', '--dry-run', '-o', 'ndjson')).out,
    )[0]
  expect((await dryRun())?.output_tokens.expected).toBe(2000 * ENOUGH)
  const { code, out } = await run('batch', trials, '-j', 'mock', '--max-cost-usd', String(CAP_USD), '-o', 'ndjson')
  const results = readLines<BatchResult>(out)
  expect(code).toBe(2)
  expect(results.map(({ label }) => label)).toEqual(labelsOf(ENOUGH))
  const estimate = await dryRun()
  expect(estimate?.output_tokens.expected).toBeLessThan(100 * ENOUGH)
  // The answers of this judge are far shorter than its output limit.
  expect(estimate?.cost_usd?.expected).toBeLessThan((estimate?.cost_usd?.most ?? 0) / 100)
}, 120_000)

describePostgres('workers under a cap', (tools) => {
  test('two workers grade them, and together they stay below it', async () => {
    const { calls, config } = await setUp()
    const fleet = createFleet(tools().server.url, config)
    const service = await fleet.service()
    await Promise.all([fleet.worker(), fleet.worker()])
    const { id } = await service.post(makeTrials(ENOUGH, 'mock'), `?max_cost_usd=${CAP_USD}`)
    const batch = await service.end(id)
    expectGraded(ENOUGH, batch, await service.results(id))
    expect(calls).toHaveLength(batch.calls.made)
  }, 90_000)
})
