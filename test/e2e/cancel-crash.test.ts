import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startMockBatches } from '../mock-provider/batches.ts'
import { postBatch, postTo, waitForEnd, waitUntil } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { makeTrials } from './trials.ts'

/** A cancel is kept before it is answered: whoever comes after the crash ends the batch, and asks nobody. */

test('killed while it cancels: the next process ends it without a call', async () => {
  const mock = await startMockCalls({ latency_ms: () => 400 })
  const database = join(tempFolder(), 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, 8) } }
  const first = spawnService(settings)
  const { id } = await postBatch(await first.ready, makeTrials(100, 'mock'))
  await waitUntil(await first.ready, id, ({ counts }) => counts.graded > 0)
  expect((await postTo(await first.ready, `/v1/batches/${id}/cancel`)).status).toBe(202)
  await first.kill()
  const made = mock.calls.length

  const second = spawnService(settings)
  const batch = await waitForEnd(await second.ready, id, 10_000)
  expect(await second.stop()).toBe(0)
  const { ok = 0, unknown = 0 } = readLedger(database).outcomes
  expect(batch).toMatchObject({ status: 'cancelled', counts: { pending: 0, running: 0, failed: 0 } })
  expect(batch.counts.cancelled).toBeGreaterThan(80)
  expect(batch.calls).toEqual({ made: ok + unknown, unknown })
  expect(unknown).toBeGreaterThan(0)
  expect(mock.calls).toHaveLength(made)
})

test.each(['openai', 'anthropic'] as const)(
  'killed while it cancels at %s: the provider is told by the next',
  async (provider) => {
    const mock = await startMockBatches({ plan: () => ({ polls: 1_000_000 }) })
    const database = join(tempFolder(), 'veridict.sqlite')
    const base_url = provider === 'openai' ? mock.openai_base_url : mock.origin
    const key_env = provider === 'openai' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY'
    const judge = { provider, model: 'mock-1', base_url, effort: null, key_env }
    const settings = { database, config: { judges: { mock: judge }, batches: { poll_seconds: 1 } } }
    const first = spawnService(settings)
    const { id } = await postBatch(await first.ready, makeTrials(10, 'mock'), '?mode=provider')
    while (mock.counts.submits === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await postTo(await first.ready, `/v1/batches/${id}/cancel`)).status).toBe(202)
    await first.kill()

    const second = spawnService(settings)
    const batch = await waitForEnd(await second.ready, id, 20_000)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 10 }, calls: { made: 0, unknown: 0 } })
    expect(mock.batches.map((one) => one.end)).toEqual(['cancelled'])
    expect(mock.counts).toMatchObject({ submits: 1, requests_run: 0 })
  },
)
