import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postBatch, postTo, waitUntil } from './batch-client.ts'
import { judgeAt, type Play, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { makeTrials } from './trials.ts'

/** A provider that asks for an hour: the batch says so at once, and whoever stops it or lets it go on need not wait. */
const ITEMS = 60
const LONG: Play = { status: 429, error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '3600' } }

async function startLimited(isLimited: (run: number) => boolean) {
  const state = { isLimited }
  const play = ({ run }: { run: number }): Play => (state.isLimited(run) ? LONG : 'answer')
  const mock = await startMockCalls({ latency_ms: ({ nth }) => 15 + ((nth * 13) % 40), play })
  const database = join(tempFolder(), 'veridict.sqlite')
  const service = spawnService({ database, config: { judges: judgeAt(mock.base_url, 16) } })
  const origin = await service.ready
  const { id } = await postBatch(origin, makeTrials(ITEMS, 'mock'))
  return { state, mock, service, origin, id }
}

const isParked = ({ status }: { status: string }) => status === 'parked'
const lastOnly = (run: number) => run === ITEMS - 1
const fromTwentieth = (run: number) => run >= 20

test.each([
  ['the last item alone meets it', lastOnly],
  ['all that are in flight meet it', fromTwentieth],
])('parked until then, at once: %s', async (_, isLimited) => {
  const { mock, origin, id } = await startLimited(isLimited)
  const parked = await waitUntil(origin, id, isParked, 8000)
  expect(Date.parse(parked.resumes_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  expect(parked.counts.failed).toBe(0)
  // Nobody calls again who was told to wait.
  expect(mock.calls.filter(({ play }) => play !== 'answer').length).toBeLessThanOrEqual(16)
})

test('parked until a time: a cancel ends it', async () => {
  const { origin, id } = await startLimited(lastOnly)
  await waitUntil(origin, id, isParked, 8000)
  expect((await postTo(origin, `/v1/batches/${id}/cancel`)).status).toBe(202)
  const batch = await waitUntil(origin, id, ({ status }) => status === 'cancelled', 8000)
  expect(batch.counts).toMatchObject({ pending: 0, running: 0, failed: 0 })
  expect(batch.counts.cancelled).toBeGreaterThan(0)
})

test('parked until a time: told to go on, it begins at once; the judge’s pause, a minute at most, goes on', async () => {
  const { state, origin, id } = await startLimited(lastOnly)
  await waitUntil(origin, id, isParked, 8000)
  state.isLimited = () => false
  expect((await postTo(origin, `/v1/batches/${id}/resume`)).status).toBe(202)
  const running = await waitUntil(origin, id, ({ counts }) => counts.running > 0, 8000)
  expect(running).toMatchObject({ status: 'running', resumes_at: null })
})

test.each(['cancel', 'stop'] as const)('a %s does not wait for a judge that has asked for time', async (what) => {
  const { service, mock, origin, id } = await startLimited(fromTwentieth)
  while (!mock.calls.some(({ play }) => play !== 'answer')) await new Promise((resolve) => setTimeout(resolve, 10))
  const before = Date.now()
  if (what === 'stop') {
    expect(await service.stop()).toBe(0)
  } else {
    await postTo(origin, `/v1/batches/${id}/cancel`)
    await waitUntil(origin, id, ({ status }) => status === 'cancelled', 8000)
  }
  expect(Date.now() - before).toBeLessThan(8000)
})
