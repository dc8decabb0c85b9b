import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../src/schemas/audit/report.ts'
import type { Batch } from '../../src/schemas/batch.ts'
import { ITEM_STATUSES } from '../../src/schemas/vocabulary.ts'
import { getBatch, postBatch, waitForEnd } from './batch-client.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { labelOf, makeTrials } from './trials.ts'

const ITEMS = 30
const LABELLED = Array.from({ length: ITEMS }, (_, run) => labelOf(run)).filter((label) => label !== null).length

async function startService() {
  const mock = await startMockCalls({ latency_ms: () => 0 })
  // A call may cost $0.006 and costs $0.0002: under a cap of $0.01 some are made and some are not.
  const judge = { ...judgeAt(mock.base_url, 8).mock, max_output_tokens: 500 }
  const service = spawnService({ database: join(tempFolder(), 'veridict.sqlite'), config: { judges: { mock: judge } } })
  return { service, origin: await service.ready }
}

async function grade(origin: string, query = ''): Promise<Batch> {
  return waitForEnd(origin, (await postBatch(origin, makeTrials(ITEMS, 'mock'), query)).id)
}

async function recheck(origin: string, batch: string): Promise<Batch> {
  const response = await fetch(`${origin}/v1/regrades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: { batch }, recheck: true }),
  })
  return waitForEnd(origin, ((await response.json()) as Batch).id)
}

async function readReport(origin: string, id: string): Promise<Report> {
  const response = await fetch(`${origin}/v1/reports?batch=${id}&draws=100`)
  expect(response.status).toBe(200)
  return (await response.json()) as Report
}

/** How many rows of `veridict results --output csv` end in each status. */
function countRows(origin: string, id: string): Record<string, number> {
  const args = ['src/cli.ts', 'results', id, '--server', origin, '--output', 'csv']
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { PATH: process.env['PATH'] } })
  const statuses = stdout.split('\n').map((row) => row.split(',')[2])
  return Object.fromEntries(ITEM_STATUSES.map((status) => [status, statuses.filter((one) => one === status).length]))
}

/** Status, report and table say the same of the batch. */
async function expectSameCounts(origin: string, id: string): Promise<void> {
  const { counts, failures } = await getBatch(origin, id)
  const { total, pending, running, ...ends } = counts
  expect([pending, running]).toEqual([0, 0])
  const { overall } = await readReport(origin, id)
  expect(overall?.counts).toMatchObject({ n: total, ...ends, failures })
  expect(overall?.shares['aligned']?.n).toBe(counts.graded)
  expect(countRows(origin, id)).toEqual(ends)
}

test('a batch that was refreshed and checked again by others still reports its own trials', async () => {
  const { service, origin } = await startService()
  const first = await grade(origin)
  const before = await readReport(origin, first.id)
  expect(before.overall?.counts).toMatchObject({ n: ITEMS, graded: LABELLED, unverified: ITEMS - LABELLED, failed: 0 })
  const refreshed = await grade(origin, '?cache=refresh')
  const checked = await recheck(origin, first.id)
  expect(await readReport(origin, first.id)).toEqual(before)
  for (const { id } of [first, refreshed, checked]) await expectSameCounts(origin, id)
  expect(await service.stop()).toBe(0)
}, 120_000)

test('a refresh that meets its cap takes nothing from the batch before, and reports what was not paid for', async () => {
  const { service, origin } = await startService()
  const first = await grade(origin)
  const before = await readReport(origin, first.id)
  const capped = await grade(origin, '?cache=refresh&max_cost_usd=0.01')
  expect(capped.counts.graded).toBeGreaterThan(0)
  expect(capped.counts.failed).toBeGreaterThan(0)
  expect(capped.failures).toEqual({ budget_exceeded: capped.counts.failed })
  // The questions keep their good grades, but this batch does not have them.
  const { overall } = await readReport(origin, capped.id)
  expect(overall?.counts).toMatchObject({ n: ITEMS, failed: capped.counts.failed, failures: capped.failures })
  expect(await readReport(origin, first.id)).toEqual(before)
  for (const { id } of [first, capped]) await expectSameCounts(origin, id)
  expect(await service.stop()).toBe(0)
}, 120_000)
