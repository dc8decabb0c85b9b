import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeRandom } from '../../bench/random.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import { getBatch, getResults, postBatch, verdictsOf, waitForEnd } from './batch-client.ts'
import { type Ledger, readLedger } from './ledger.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { type ServiceProcess, spawnService, tempFolder } from './service-process.ts'
import { callsOfAll, labelOf, makeTrials } from './trials.ts'

/** Real processes, a real file, real SIGKILLs: what ends is what would have ended without them. */

interface Ended {
  readonly batch: Batch
  readonly results: readonly BatchResult[]
  readonly ledger: Ledger
  readonly mock_calls: number
  readonly kills: number
}

interface Plan {
  readonly items: number
  readonly concurrency: number
  readonly kills: number
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function runBatch({ items, concurrency, kills }: Plan): Promise<Ended> {
  const random = makeRandom(20_261_121)
  const mock = await startMockCalls({ latency_ms: ({ nth }) => 20 + ((nth * 7) % 31) })
  const database = join(tempFolder(), 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, concurrency) } }
  let service = spawnService(settings)
  const { id } = await postBatch(await service.ready, makeTrials(items, 'mock'))
  let killed = 0
  for (; killed < kills; killed++) {
    // Every fourth one hits a process that starts.
    const early = killed % 4 === 3
    if (!early) await service.ready
    await sleep(early ? 100 + random() * 400 : 200 + random() * 450)
    if (!early && (await isDone(service, id))) break
    await service.kill()
    service = spawnService(settings)
  }
  const origin = await service.ready
  const batch = await waitForEnd(origin, id)
  const results = await getResults(origin, id)
  expect(await service.stop()).toBe(0)
  return { batch, results, ledger: readLedger(database), mock_calls: mock.calls.length, kills: killed }
}

const isDone = async (service: ServiceProcess, id: string) =>
  (await getBatch(await service.ready, id)).status === 'done'

function expectUndisturbed(run: Ended, calm: Ended, items: number): void {
  expect(verdictsOf(run.results)).toEqual(verdictsOf(calm.results))
  expect(run.batch).toMatchObject({ status: 'done', labels: calm.batch.labels })
  expect(run.batch.counts).toEqual(calm.batch.counts)
  const { ledger } = run
  expect(ledger).toMatchObject({ grades: items, graded_twice: 0, paid_twice: 0 })
  const { ok = 0, unknown = 0, ...others } = ledger.outcomes
  // Nothing fails at this provider, and nothing is left in flight.
  expect(others).toEqual({})
  expect(ok).toBe(callsOfAll(items))
  expect(run.batch.calls).toEqual({ made: ledger.calls, unknown })
  expect(run.batch.cost_usd).toBeCloseTo(ledger.cost_usd, 9)
  expect(run.batch.cost_usd).toBeCloseTo(calm.batch.cost_usd ?? Number.NaN, 9)
  // A call that was cut off may have reached the provider or not.
  expect(run.mock_calls).toBeGreaterThanOrEqual(ok)
  expect(run.mock_calls).toBeLessThanOrEqual(ok + unknown)
}

async function compare(plan: Plan, leastKills: number): Promise<void> {
  const calm = await runBatch({ ...plan, concurrency: 32, kills: 0 })
  expect(calm.results.map((one) => one.label)).toEqual(Array.from({ length: plan.items }, (_, run) => labelOf(run)))
  expect(calm.mock_calls).toBe(callsOfAll(plan.items))
  expect(calm.ledger.calls).toBe(calm.mock_calls)
  const run = await runBatch(plan)
  const { ok = 0, unknown = 0 } = run.ledger.outcomes
  process.stdout.write(
    `kill loop: ${plan.items} items, ${run.kills} kills; calls at the mock ${run.mock_calls}, ` +
      `in the ledger ${run.ledger.calls} (${ok} ok, ${unknown} unknown); undisturbed ${calm.mock_calls}\n`,
  )
  expect(run.kills).toBeGreaterThanOrEqual(leastKills)
  expectUndisturbed(run, calm, plan.items)
}

describe('a batch whose service is killed again and again', () => {
  test('200 items', () => compare({ items: 200, concurrency: 4, kills: 4 }, 3), 60_000)

  const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
  if (!slow) process.stdout.write('kill loop: 1,000 items are left out: set VERIDICT_SLOW_TESTS=1\n')
  test.skipIf(!slow)('1,000 items', () => compare({ items: 1000, concurrency: 8, kills: 500 }, 8), 900_000)
})
