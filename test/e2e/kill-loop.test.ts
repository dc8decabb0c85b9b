import { describe, expect, test } from 'vitest'
import { makeRandom } from '../../bench/random.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Ledger } from './ledger.ts'
import { makeScene, sleep, userOf, verdictsOf } from './scene.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

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

async function runBatch({ items, concurrency, kills }: Plan): Promise<Ended> {
  const random = makeRandom(20_261_121)
  const scene = await makeScene({ latency_ms: ({ nth }) => 20 + ((nth * 7) % 31), concurrency })
  let service = scene.spawn()
  const { id } = await userOf(await service.ready).post(makeTrials(items, 'mock'))
  let killed = 0
  for (; killed < kills; killed++) {
    // Every fourth one hits a process that starts.
    const early = killed % 4 === 3
    if (!early) await service.ready
    await sleep(early ? 100 + random() * 400 : 200 + random() * 450)
    if (!early && (await userOf(await service.ready).batch(id)).status === 'done') break
    await service.kill()
    service = scene.spawn()
  }
  const user = userOf(await service.ready)
  const [batch, results] = [await user.end(id), await user.results(id)]
  expect(await service.stop()).toBe(0)
  return { batch, results, ledger: scene.ledger(), mock_calls: scene.calls.length, kills: killed }
}

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
  expect(calm.results.map((one) => one.label)).toEqual(labelsOf(plan.items))
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
  test('200 items', () => compare({ items: 200, concurrency: 4, kills: 4 }, 3))

  const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
  if (!slow) process.stdout.write('kill loop: 1,000 items are left out: set VERIDICT_SLOW_TESTS=1\n')
  test.skipIf(!slow)('1,000 items', () => compare({ items: 1000, concurrency: 8, kills: 500 }, 8), 900_000)
})
