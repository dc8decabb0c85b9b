import { join } from 'node:path'
import { expect, test } from 'vitest'
import { getBatch, getResults, postBatch, postTo, waitForEnd } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type Play, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const QUOTA: Play = { status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } }
const ITEMS = 40
const GOOD = callsOfAll(ITEMS)
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A service whose provider answers `calls` times, and then as `then` says. */
async function startLimited(calls: number, then: Play) {
  const left = { calls }
  const play = (): Play => (left.calls-- > 0 ? 'answer' : then)
  const mock = await startMockCalls({ latency_ms: () => 15, play })
  const database = join(tempFolder(), 'veridict.sqlite')
  const settings = { database, config: { judges: judgeAt(mock.base_url, 4) } }
  return { left, mock, database, settings, service: spawnService(settings) }
}

test.each(['stop', 'kill'] as const)(
  'quota in the middle: parked, parked after a %s, and on when told to',
  async (how) => {
    const { left, mock, database, settings, service: first } = await startLimited(20, QUOTA)
    const { id } = await postBatch(await first.ready, makeTrials(ITEMS, 'mock'))
    const parked = await waitForEnd(await first.ready, id)
    expect(parked).toMatchObject({ status: 'parked', resumes_at: null, counts: { failed: 0, running: 0 } })
    expect(parked.parked_reason).toMatch(/^mock: quota_exhausted: .*insufficient_quota/)
    expect(parked.counts.graded).toBeGreaterThan(0)
    // Nobody burns the archive: only what was in flight met the empty account.
    const refused = mock.calls.length - 20
    expect(refused).toBeLessThanOrEqual(4)

    await first[how]()
    const second = spawnService(settings)
    const origin = await second.ready
    await sleep(700)
    expect(await getBatch(origin, id)).toEqual(parked)
    expect(mock.calls).toHaveLength(20 + refused)

    // Told to go on too early, it looks and parks again.
    expect((await postTo(origin, `/v1/batches/${id}/resume`)).status).toBe(202)
    const again = await waitForEnd(origin, id)
    expect(again).toMatchObject({ status: 'parked', counts: parked.counts })
    expect(mock.calls.length - refused - 20).toBeLessThanOrEqual(4)

    left.calls = 1000
    expect((await postTo(origin, `/v1/batches/${id}/resume`)).status).toBe(202)
    const batch = await waitForEnd(origin, id)
    const results = await getResults(origin, id)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'done', parked_reason: null, counts: { failed: 0 }, calls: { unknown: 0 } })
    expect(results.map((one) => one.label)).toEqual(labelsOf(ITEMS))
    const ledger = readLedger(database)
    expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0, calls: mock.calls.length })
    expect(ledger.outcomes).toEqual({ ok: GOOD, quota_exhausted: mock.calls.length - GOOD })
  },
)
