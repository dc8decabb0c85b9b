import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { batchJudgeAt } from './mock-calls.ts'
import { makeScene, sleep, startService } from './scene.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

/** Real processes, a real file, a real SIGKILL. */

const ITEMS = 300
const GOOD = callsOfAll(ITEMS)

const post = (origin: string) => postJson(`${origin}/v1/grades`, { ...REQUEST, judge: 'openai' })

test('killed between the reply and the grade: the reply is in the ledger and is not paid for again', async () => {
  // The first answer is unusable, so the process asks for a repair, which hangs: the first reply is stored, the grade is not.
  const unusable = { text: JSON.stringify({ ...GOOD_ANSWER, citations: [] }) }
  const provider = await startMockProvider([unusable, 'hang', { text: JSON.stringify(GOOD_ANSWER) }])
  const env = { OPENAI_BASE_URL: `${provider.origin}/v1` }
  const settings = { database: join(tempFolder(), 'v.sqlite'), config: {}, env }
  const first = spawnService(settings)
  const lost = post(await first.ready).catch(() => 'lost')
  while (provider.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
  await first.kill()
  expect(await lost).toBe('lost')

  const second = spawnService(settings)
  const grade = (await (await post(await second.ready)).json()) as Grade
  expect(grade).toMatchObject({ status: 'graded', label: 'aligned' })
  expect(grade.receipt.attempts.map((one) => [one.purpose, one.outcome, one.replayed])).toEqual([
    ['decide', 'ok', true],
    ['repair', 'ok', false],
  ])
  expect(provider.requests).toHaveLength(3)
  expect(await second.stop()).toBe(0)
})

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
  const batch = await second.end(id)
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
    const settings = { database: join(tempFolder(), 'v.sqlite'), config: batchJudgeAt(provider, mock.origin) }
    const first = await startService(settings)
    const { id } = await first.post(makeTrials(10, 'mock'), '?mode=provider')
    while (mock.counts.submits === 0) await sleep(20)
    await first.tell(id, 'cancel')
    await first.kill()

    const second = await startService(settings)
    const batch = await second.end(id)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'cancelled', counts: { cancelled: 10 }, calls: { made: 0, unknown: 0 } })
    expect(mock.batches.map((one) => one.end)).toEqual(['cancelled'])
    expect(mock.counts).toMatchObject({ submits: 1, requests_run: 0 })
  },
)

/** Somebody else writes for longer than a service waits for the lock: a backup, say. */
test('a file that is locked for a while: no reply is lost, none is paid twice, and the batch goes on', async () => {
  const played = { latency_ms: ({ nth }: { nth: number }) => 20 + ((nth * 17) % 60), concurrency: 12 }
  const { start, calls, database, ledger } = await makeScene(played)
  const service = await start()
  const { id } = await service.post(makeTrials(ITEMS, 'mock'))
  await service.until(id, ({ counts }) => counts.graded > 5)
  const other = new Database(database)
  other.exec('BEGIN IMMEDIATE')
  await sleep(7000)
  other.exec('COMMIT')
  other.close()
  const batch = await service.end(id)
  const labels = await service.labels(id)
  expect(await service.stop()).toBe(0)
  expect(batch).toMatchObject({ status: 'done', counts: { failed: 0 }, calls: { made: GOOD, unknown: 0 } })
  expect(labels).toEqual(labelsOf(ITEMS))
  expect(ledger()).toMatchObject({ outcomes: { ok: GOOD }, grades: ITEMS, graded_twice: 0, paid_twice: 0 })
  expect(calls).toHaveLength(GOOD)
})
