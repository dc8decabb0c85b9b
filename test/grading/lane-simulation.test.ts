import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLane, type Lane, type LaneCall, type Party } from '../../src/grading/lane.ts'
import { FAILURE_CODES } from '../../src/schemas/vocabulary.ts'
import type { Script } from './harness.ts'
import { START, simulation } from './lane-clock.ts'

describe('a pause', () => {
  test.each([
    ['as long as asked', 5, 5000],
    ['a minute at most', 3600, 60_000],
    ['for ever is a minute', Number.POSITIVE_INFINITY, 60_000],
    ['not at all', 0, 0],
    ['less than nothing', -5, 0],
    ['no number', Number.NaN, 0],
  ])('lasts %s', async (_, retry_after_s, expected) => {
    const { clock, run, answer, now, sleeping } = simulation()
    const lane = createLane({ initial: 2, min: 2, max: 2 }, clock)
    const kinds: string[] = []
    const stop = lane.onChange(() => kinds.push(`${lane.state().kind} ${now()}`))
    let started: number | null = null
    const calls = [
      lane.call('a', () => answer(100, { fail: 'rate_limited', retry_after_s })),
      lane.call('a', () => answer(50, '{}')),
    ]
    await run(100)
    const waiting = lane.call(null, () => {
      started = now()
      return answer(0, '{}')
    })
    const until = expected > 0 ? new Date(START + 100 + expected) : null
    expect(lane.state()).toMatchObject({ kind: expected > 0 ? 'paused' : 'open', until })
    expect(lane.wanted('a')).toBeGreaterThan(0)
    await run(200_000)
    expect(started).toBe(100 + expected)
    expect(await waiting).toMatchObject({ kind: 'called', waited_ms: expected })
    await Promise.all(calls)
    expect(kinds.filter((kind, index) => index === 0 || kind !== kinds[index - 1])).toEqual(
      expected > 0 ? ['paused 100', `open ${100 + expected}`] : [],
    )
    stop()
    expect(sleeping()).toBe(0)
  })

  test('grows with one pending sleep, and with none where nobody waits', async () => {
    const { clock, run, answer, now, sleeping } = simulation()
    const lane = createLane({ initial: 20, min: 20, max: 20 }, clock)
    const replies = Array.from({ length: 20 }, (_, index) => index + 1)
    for (const n of replies) void lane.call('a', () => answer(n * 10, { fail: 'rate_limited', retry_after_s: n }))
    await run(200)
    expect(lane.state()).toMatchObject({ kind: 'paused', in_flight: 0, until: new Date(START + 20_200) })
    expect(sleeping()).toBe(0)
    const stop = new AbortController()
    const waiting = lane.call('a', () => answer(0, '{}'), stop.signal)
    expect(sleeping()).toBe(1)
    stop.abort()
    await waiting
    expect(sleeping()).toBe(0)
    void lane.call('a', () => answer(0, '{}'))
    await run(20_199)
    expect(lane.state().waiting).toBe(1)
    await run(20_200)
    expect([lane.state().waiting, now(), sleeping()]).toEqual([0, 20_200, 0])
  })
})

describe('a judge that does not answer', () => {
  test('is left alone, then tried by one batch, longer each time, and opened by an answer', async () => {
    const { clock, run, answer, now, sleeping } = simulation()
    const lane = createLane({ initial: 4, min: 4, max: 4 }, clock)
    let script: Script = { fail: 'timeout' }
    const started: number[] = []
    const call = (party: Party) =>
      lane.call(party, () => {
        started.push(now())
        return answer(1000, script)
      })
    const first = Array.from({ length: 20 }, () => call('a'))
    await run(4000)
    const ends = await Promise.all(first)
    expect(ends.map(({ kind }) => kind)).toEqual([...Array(15).fill('called'), ...Array(5).fill('turned_away')])
    expect(ends.at(-1)).toMatchObject({
      failure: { code: 'timeout' },
      waited_ms: 3000,
    })
    expect(await call(null)).toMatchObject({ kind: 'turned_away' })
    expect(lane.state().until).toEqual(new Date(START + 33_000))
    expect([lane.wanted('a'), sleeping(), lane.state().in_flight]).toEqual([0, 0, 0])

    started.length = 0
    const calls: Promise<LaneCall>[] = []
    const stop = lane.onChange(() => {
      if (lane.wanted('a') > 0 && lane.state().kind === 'out') calls.push(call('a'), call('b'), call(null))
    })
    await run(200_000)
    expect(started).toEqual([33_000, 33_000 + 61_000])
    expect((await Promise.all(calls)).map(({ kind }) => kind)).toEqual(
      Array(2).fill(['called', 'turned_away', 'turned_away']).flat(),
    )
    script = '{}'
    await run(600_000)
    expect(started.slice(2)).toEqual([94_000 + 121_000, 216_000, 216_000])
    expect(lane.state()).toMatchObject({ kind: 'open', failure: null, until: null })
    stop()
    expect(sleeping()).toBe(0)
  })
})

describe('a slot', () => {
  test('comes soon to who is few among many, and half of them to a stream of single requests', async () => {
    const { clock, run, answer, now } = simulation()
    const lane = createLane({ initial: 1, min: 1, max: 1 }, clock)
    const started: string[] = []
    const call = (party: Party) =>
      lane.call(party, () => {
        started.push(party ?? '-')
        return answer(100, '{}')
      })
    for (let n = 0; n < 10_000; n++) void call('a')
    await run(1050)
    void call('b')
    void call(null)
    await run(1450)
    expect(started.slice(11).join('')).toBe('-aba')
    const stream = async () => {
      while (now() < 21_450) await call(null)
    }
    started.length = 0
    void Promise.all([stream(), stream(), stream()])
    await run(21_450)
    expect(started).toHaveLength(200)
    expect(started.filter((party) => party === '-')).toHaveLength(100)
  })
})

/** The same numbers in [0, 1) each time (Numerical Recipes' linear congruence). */
function pseudoRandom(): () => number {
  let seed = 1
  return () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
    return seed / 2 ** 32
  }
}

/** Takes `rate` calls in a second, and as many as in two seconds at once (a bucket of tokens). Answers whether it takes this one. */
function bucket(rate: number, now: () => number): () => boolean {
  let tokens = 2 * rate
  let last = 0
  return () => {
    tokens = Math.min(2 * rate, tokens + ((now() - last) * rate) / 1000)
    last = now()
    if (tokens < 1) return false
    tokens -= 1
    return true
  }
}

describe('a provider that takes 20 calls in a second', () => {
  test.each([
    ['quick answers', 200, null],
    ['answers of a second', 1000, null],
    ['answers of a second, with Retry-After', 1000, 1],
    ['slow answers', 5000, null],
  ])('is used well and seldom asked for too much: %s', async (_, latency, retry_after_s) => {
    const { clock, run, answer, now } = simulation()
    const lane = createLane({ initial: 10, min: 1, max: 500 }, clock)
    const random = pseudoRandom()
    const takes = bucket(20, now)
    let taken = 0
    let refused = 0
    const provider = () => {
      if (takes()) {
        taken += 1
        return answer(latency * (0.5 + random()), '{}')
      }
      refused += 1
      return answer(50, { fail: 'rate_limited', ...(retry_after_s === null ? {} : { retry_after_s }) })
    }
    let open = 0
    const fill = () => {
      for (; open < lane.wanted('a'); open++) {
        void lane.call('a', provider).then(() => {
          open -= 1
          fill()
        })
      }
    }
    fill()
    await run(1000_000)
    taken = 0
    refused = 0
    const limits: number[] = []
    for (let second = 1; second <= 1000; second++) {
      await run(1000_000 + second * 1000)
      limits.push(lane.state().limit)
    }
    const right = (20 * latency) / 1000
    const mean = limits.reduce((sum, limit) => sum + limit, 0) / limits.length
    expect(taken).toBeGreaterThan(0.75 * 20_000)
    expect(refused).toBeLessThan(0.1 * taken)
    expect(mean / right).toBeGreaterThan(0.7)
    expect(mean / right).toBeLessThan(1.3)
    expect(Math.max(...limits)).toBeLessThan(right * 2.5)
  })
})

describe('whatever is asked and answered', () => {
  const SCRIPT = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Script>('{}') },
    { weight: 4, arbitrary: fc.record({ fail: fc.constantFrom(...FAILURE_CODES) }) },
    {
      weight: 2,
      arbitrary: fc.record({ fail: fc.constant('rate_limited' as const), retry_after_s: fc.nat(100) }),
    },
    { weight: 2, arbitrary: fc.constant<Script>({ fail: 'timeout' }) },
  )
  const CALL = fc.record({
    party: fc.constantFrom(null, 'a', 'b', 'c'),
    at: fc.nat(20_000),
    ms: fc.nat(5000),
    script: fc.option(SCRIPT),
    patience: fc.option(fc.nat(20_000)),
  })
  const SETTINGS = fc.record({ initial: fc.integer({ min: 1, max: 8 }), min: fc.constant(1), max: fc.constant(8) })

  test('every call ends, none starts over the limit, in a pause or while the judge rests, and no timer is left', async () => {
    await fc.assert(
      fc.asyncProperty(
        SETTINGS,
        fc.array(CALL, { maxLength: 80, size: 'max' }),
        fc.boolean(),
        async (settings, calls, listens) => {
          const { clock, run, answer, now, sleeping } = simulation()
          const lane = createLane(settings, clock)
          const stop = listens ? lane.onChange(() => undefined) : () => undefined
          let ended = 0
          let pausedUntil = 0
          const make = async (ms: number, script: Script | null) => {
            checkStart(lane, now())
            expect(now()).toBeGreaterThanOrEqual(pausedUntil)
            if (script === null) throw new Error('bug')
            const reply = await answer(ms, script)
            if (!reply.ok && reply.failure.code === 'rate_limited')
              pausedUntil = Math.max(pausedUntil, now() + Math.min(60, reply.failure.retry_after_s ?? 0) * 1000)
            return reply
          }
          for (const { party, at, ms, script, patience } of calls) {
            void clock.sleep(at).then(async () => {
              const abort = new AbortController()
              if (patience !== null) void clock.sleep(patience).then(() => abort.abort())
              await lane
                .call(party, () => make(ms, script), abort.signal)
                .catch((error: Error) => expect(error.message).toBe('bug'))
              ended += 1
            })
          }
          await run(3_600_000)
          expect(ended).toBe(calls.length)
          expect(lane.state()).toMatchObject({ in_flight: 0, waiting: 0 })
          expect(lane.state().kind).not.toBe('paused')
          stop()
          expect(sleeping()).toBe(0)
        },
      ),
      { numRuns: 150 },
    )
  })
})

function checkStart(lane: Lane, now: number): void {
  const { kind, limit, in_flight, until } = lane.state()
  expect(in_flight).toBeLessThanOrEqual(limit)
  expect(kind).not.toBe('paused')
  if (until !== null) expect(until.getTime() - START).toBeLessThanOrEqual(now)
}
