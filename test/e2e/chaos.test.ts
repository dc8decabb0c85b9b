import { expect, test } from 'vitest'
import { makeRandom } from '../../bench/random.ts'
import type { Play } from './mock-calls.ts'
import { makeScene } from './scene.ts'
import { callsOfAll, labelsOf, makeTrials } from './trials.ts'

const ITEMS = 120
const EACH_USD = 100e-6 + 20 * 0.1e-6 + 30 * 4e-6

/** A third of the calls too many, a tenth broken, some without an end, some broken off: no call knows of the others. */
function chaos(seed: number): () => Play {
  const random = makeRandom(seed)
  return () => {
    const [kind, wait] = [random(), random()]
    if (kind < 1 / 3) {
      const headers = { 'retry-after': wait < 0.03 ? '1' : '0.05' }
      return { status: 429, error: { code: 'rate_limit_exceeded', type: 'requests' }, headers }
    }
    if (kind < 1 / 3 + 0.1) return { status: 500, error: { type: 'server_error' } }
    if (kind < 1 / 3 + 0.13) return 'hang'
    return kind < 1 / 3 + 0.16 ? 'break_off' : 'answer'
  }
}

const outcomeOf = (play: Play): string => {
  if (play === 'answer') return 'ok'
  if (play === 'hang') return 'timeout'
  return typeof play === 'object' && play.status === 429 ? 'rate_limited' : 'judge_unreachable'
}

const slow = process.env['VERIDICT_SLOW_TESTS'] === '1'
if (!slow) process.stdout.write('chaos: seeds 2 to 6 are left out: set VERIDICT_SLOW_TESTS=1\n')

test.each(slow ? [1, 2, 3, 4, 5, 6] : [1])(
  'every item ends as it would without the chaos, and only good answers cost (seed %i)',
  async (seed) => {
    const config = { retry: { call_timeout_ms: 2500 } }
    const played = { latency_ms: ({ nth }: { nth: number }) => 5 + (nth % 20), play: chaos(seed) }
    const { start, calls, ledger: read } = await makeScene({ ...played, concurrency: 16, config })
    const service = await start()
    const { id } = await service.post(makeTrials(ITEMS, 'mock'))
    const batch = await service.end(id)
    const labels = await service.labels(id)
    expect(await service.stop()).toBe(0)

    const expected = labelsOf(ITEMS)
    expect(batch.failures).toEqual({})
    expect(batch).toMatchObject({ status: 'done', calls: { unknown: 0 } })
    expect(labels).toEqual(expected)
    expect(batch.counts).toMatchObject({ failed: 0, graded: expected.filter((label) => label !== null).length })

    const ledger = read()
    const plays = Object.groupBy(calls, ({ play }) => outcomeOf(play))
    expect(ledger.outcomes).toEqual(Object.fromEntries(Object.entries(plays).map(([name, all]) => [name, all?.length])))
    expect(batch.calls.made).toBe(calls.length)
    expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
    const good = callsOfAll(ITEMS)
    expect(ledger.outcomes['ok']).toBe(good)
    expect(batch.cost_usd).toBeCloseTo(good * EACH_USD, 9)
  },
)
