import { expect, test } from 'vitest'
import { makeScene } from './scene.ts'
import { makeTrials } from './trials.ts'

/** A call may cost $0.17 and costs $0.0005, so that the cap holds five calls at their whole output limit. */
const CAP_USD = 1
const PRICE = { input: 2, output: 10, cache_read: 0.2, cache_write: 2, as_of: '2026-11-01' }
const ENOUGH = 60

test('killed under a cap: what was in flight counts as spent, and the next process stays below it', async () => {
  const { start, ledger } = await makeScene({ latency_ms: () => 15, concurrency: 16, judge: { price: PRICE } })
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
})
