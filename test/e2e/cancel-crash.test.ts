import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startMockBatches } from '../mock-provider/batches.ts'
import { batchJudgeAt } from './mock-calls.ts'
import { makeScene, sleep, startService } from './scene.ts'
import { tempFolder } from './service-process.ts'
import { makeTrials } from './trials.ts'

/** A cancel is kept before it is answered: whoever comes after the crash ends the batch, and asks nobody. */

test('killed while it cancels: the next process ends it without a call', async () => {
  const { start, calls, ledger } = await makeScene({ latency_ms: () => 400, concurrency: 8 })
  const first = await start()
  const { id } = await first.post(makeTrials(100, 'mock'))
  await first.until(id, ({ counts }) => counts.graded > 0)
  await first.tell(id, 'cancel')
  await first.kill()
  const made = calls.length

  const second = await start()
  const batch = await second.end(id, 10_000)
  expect(await second.stop()).toBe(0)
  const { ok = 0, unknown = 0 } = ledger().outcomes
  expect(batch).toMatchObject({ status: 'cancelled', counts: { pending: 0, running: 0, failed: 0 } })
  expect(batch.counts.cancelled).toBeGreaterThan(80)
  expect(batch.calls).toEqual({ made: ok + unknown, unknown })
  expect(unknown).toBeGreaterThan(0)
  expect(calls).toHaveLength(made)
})

test.each(['openai', 'anthropic'] as const)(
  'killed while it cancels at %s: the provider is told by the next',
  async (provider) => {
    const mock = await startMockBatches({ plan: () => ({ polls: 1_000_000 }) })
    const database = join(tempFolder(), 'veridict.sqlite')
    const settings = { database, config: batchJudgeAt(provider, mock.origin) }
    const first = await startService(settings)
    const { id } = await first.post(makeTrials(10, 'mock'), '?mode=provider')
    while (mock.counts.submits === 0) await sleep(20)
    await first.tell(id, 'cancel')
    await first.kill()

    const second = await startService(settings)
    const batch = await second.end(id, 20_000)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 10 }, calls: { made: 0, unknown: 0 } })
    expect(mock.batches.map((one) => one.end)).toEqual(['cancelled'])
    expect(mock.counts).toMatchObject({ submits: 1, requests_run: 0 })
  },
)
