import { expect, test } from 'vitest'
import type { Play } from './mock-calls.ts'
import { makeScene, sleep } from './scene.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const QUOTA: Play = { status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } }
const ITEMS = 40
const GOOD = callsOfAll(ITEMS)

test.each(['stop', 'kill'] as const)(
  'quota in the middle: parked, parked after a %s, and on when told to',
  async (how) => {
    let left = 20
    const play = (): Play => (left-- > 0 ? 'answer' : QUOTA)
    const { start, calls, ledger } = await makeScene({ latency_ms: () => 15, play })
    const first = await start()
    const { id } = await first.post(makeTrials(ITEMS, 'mock'))
    await first.end(id)
    // Calls in flight meet the empty account after the batch is parked.
    while ('sent' in ledger().outcomes) await sleep(20)
    const parked = await first.batch(id)
    expect(parked).toMatchObject({ status: 'parked', resumes_at: null, counts: { failed: 0, running: 0 } })
    expect(parked.parked_reason).toMatch(/^mock: quota_exhausted: .*insufficient_quota/)
    expect(parked.counts.graded).toBeGreaterThan(0)
    const refused = calls.length - 20
    expect(refused).toBeLessThanOrEqual(4)

    await first[how]()
    const second = await start()
    await sleep(700)
    expect(await second.batch(id)).toEqual(parked)
    expect(calls).toHaveLength(20 + refused)

    await second.tell(id, 'resume') // too early
    expect(await second.end(id)).toMatchObject({ status: 'parked', counts: parked.counts })
    expect(calls.length - refused - 20).toBeLessThanOrEqual(4)

    left = 1000
    await second.tell(id, 'resume')
    const batch = await second.end(id)
    const labels = await second.labels(id)
    expect(await second.stop()).toBe(0)
    expect(batch).toMatchObject({ status: 'done', parked_reason: null, counts: { failed: 0 }, calls: { unknown: 0 } })
    expect(labels).toEqual(labelsOf(ITEMS))
    expect(ledger()).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0, calls: calls.length })
    expect(ledger().outcomes).toEqual({ ok: GOOD, quota_exhausted: calls.length - GOOD })
  },
)

const MANY = 60
const AT_ONCE_MS = 40_000 // well before the pause of a judge ends, a minute
/** A provider asks for an hour: the batch says so at once, and a stop or a resume need not wait. */
const LONG: Play = { status: 429, error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '3600' } }

async function startLimited(isLimited: (run: number) => boolean) {
  const state = { isLimited }
  const { start, calls } = await makeScene({
    latency_ms: ({ nth }) => 15 + ((nth * 13) % 40),
    play: ({ run }) => (state.isLimited(run) ? LONG : 'answer'),
    concurrency: 16,
  })
  const service = await start()
  const { id } = await service.post(makeTrials(MANY, 'mock'))
  const untilStatus = (wanted: string) => service.until(id, ({ status }) => status === wanted, AT_ONCE_MS)
  return { state, calls, service, id, untilStatus }
}

const lastOnly = (run: number) => run === MANY - 1
const fromTwentieth = (run: number) => run >= 20

test.each([
  ['the last item alone meets it', lastOnly],
  ['all that are in flight meet it', fromTwentieth],
])('parked until then, at once: %s', async (_, isLimited) => {
  const { calls, untilStatus } = await startLimited(isLimited)
  const parked = await untilStatus('parked')
  expect(Date.parse(parked.resumes_at ?? '') - Date.now()).toBeGreaterThan(3_500_000)
  expect(parked.counts.failed).toBe(0)
  expect(calls.filter(({ play }) => play !== 'answer').length).toBeLessThanOrEqual(16)
})

test('parked until a time: a cancel ends it', async () => {
  const { service, id, untilStatus } = await startLimited(lastOnly)
  await untilStatus('parked')
  await service.tell(id, 'cancel')
  const batch = await untilStatus('cancelled')
  expect(batch.counts).toMatchObject({ pending: 0, running: 0, failed: 0 })
  expect(batch.counts.cancelled).toBeGreaterThan(0)
})

test('parked until a time: told to go on, it begins at once; the judge’s pause, a minute at most, goes on', async () => {
  const { state, service, id, untilStatus } = await startLimited(lastOnly)
  await untilStatus('parked')
  state.isLimited = () => false
  await service.tell(id, 'resume')
  const running = await service.until(id, ({ counts }) => counts.running > 0, AT_ONCE_MS)
  expect(running).toMatchObject({ status: 'running', resumes_at: null })
})

test.each(['cancel', 'stop'] as const)('a %s does not wait for a judge that has asked for time', async (what) => {
  const { service, calls, id, untilStatus } = await startLimited(fromTwentieth)
  while (!calls.some(({ play }) => play !== 'answer')) await sleep(10)
  const before = Date.now()
  if (what === 'stop') {
    expect(await service.stop()).toBe(0)
  } else {
    await service.tell(id, 'cancel')
    await untilStatus('cancelled')
  }
  expect(Date.now() - before).toBeLessThan(AT_ONCE_MS)
})
