import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRandom } from '../../bench/random.ts'
import { getResults, postBatch, waitForEnd } from './batch-client.ts'
import { readLedger } from './ledger.ts'
import { judgeAt, type Play, startMockCalls } from './mock-calls.ts'
import { spawnService, tempFolder } from './service-process.ts'
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
    const mock = await startMockCalls({ latency_ms: ({ nth }) => 5 + (nth % 20), play: chaos(seed) })
    const database = join(tempFolder(), 'veridict.sqlite')
    const service = spawnService({
      database,
      config: {
        judges: judgeAt(mock.base_url, 16),
        retry: { call_timeout_ms: 2500 },
      },
    })
    const origin = await service.ready
    const { id } = await postBatch(origin, makeTrials(ITEMS, 'mock'))
    const batch = await waitForEnd(origin, id, 100_000)
    const results = await getResults(origin, id)
    expect(await service.stop()).toBe(0)

    const expected = labelsOf(ITEMS)
    expect(batch.failures).toEqual({})
    expect(batch).toMatchObject({ status: 'done', calls: { unknown: 0 } })
    expect(results.map((one) => one.label)).toEqual(expected)
    expect(batch.counts).toMatchObject({ failed: 0, graded: expected.filter((label) => label !== null).length })

    const ledger = readLedger(database)
    const plays = Object.groupBy(mock.calls, ({ play }) => outcomeOf(play))
    expect(ledger.outcomes).toEqual(Object.fromEntries(Object.entries(plays).map(([name, all]) => [name, all?.length])))
    expect(batch.calls.made).toBe(mock.calls.length)
    expect(ledger).toMatchObject({ grades: ITEMS, graded_twice: 0, paid_twice: 0 })
    const good = callsOfAll(ITEMS)
    expect(ledger.outcomes['ok']).toBe(good)
    expect(batch.cost_usd).toBeCloseTo(good * EACH_USD, 9)
  },
  120_000,
)
