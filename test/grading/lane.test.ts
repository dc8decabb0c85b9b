import { describe, expect, test } from 'vitest'
import { createLane, type LaneCall, type Party } from '../../src/grading/lane.ts'
import type { JudgeReply } from '../../src/ports/judge.ts'
import type { FailureCode } from '../../src/schemas/vocabulary.ts'
import { fakeClock, replyOf } from './harness.ts'

const GOOD = replyOf('{}')
const SETTINGS = { initial: 2, min: 1, max: 10 }

/** A lane whose calls end when the test says so. */
function standing(settings = SETTINGS) {
  const clock = fakeClock()
  const lane = createLane(settings, clock)
  const started: string[] = []
  const ended: string[] = []
  const flying = new Map<string, PromiseWithResolvers<JudgeReply>>()
  /** Yields a call by this name; `ended` tells how it ended. */
  function call(name: string, party: Party, signal?: AbortSignal): Promise<LaneCall> {
    const make = () => {
      started.push(name)
      const flight = Promise.withResolvers<JudgeReply>()
      flying.set(name, flight)
      return flight.promise
    }
    const call = lane.call(party, make, signal)
    call.then(
      (result) => ended.push(`${name} ${result.kind === 'called' ? 'called' : result.failure.code}`),
      (error: unknown) => ended.push(`${name} threw ${String(error)}`),
    )
    return call
  }
  async function end(name: string, reply: JudgeReply = GOOD): Promise<void> {
    flying.get(name)?.resolve(reply)
    await settled()
  }
  return {
    clock,
    lane,
    started,
    ended,
    flying,
    call,
    end,
    fail: (name: string, fail: FailureCode) => end(name, replyOf({ fail })),
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A signal that knows how many listen to it. */
function countedSignal() {
  const { signal } = new AbortController()
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1
    remove(...args)
  }
  return { signal, listeners: () => listeners }
}

describe('calls', () => {
  test('start at once while there is room, then in turn', async () => {
    const { lane, clock, call, end, started, ended } = standing()
    const calls = ['a1', 'a2', 'a3', 'b1', 's1'].map((name) =>
      call(name, name.startsWith('s') ? null : name.slice(0, 1)),
    )
    expect(started).toEqual(['a1', 'a2'])
    expect(lane.state()).toEqual({ kind: 'open', limit: 2, in_flight: 2, waiting: 3, failure: null, until: null })
    clock.advance(1500)
    for (const name of ['a1', 'a2', 's1', 'b1', 'a3']) await end(name)
    expect(started).toEqual(['a1', 'a2', 's1', 'a3', 'b1'])
    expect(ended).toHaveLength(5)
    expect(await Promise.all(calls.map(async (it) => (await it).waited_ms))).toEqual([0, 0, 1500, 1500, 1500])
    expect(lane.state()).toMatchObject({ kind: 'open', in_flight: 0, waiting: 0 })
  })

  test('raise no limit while another could have started', async () => {
    const { lane, call, end } = standing()
    for (let n = 0; n < 20; n++) {
      void call(`a${n}`, 'a')
      await end(`a${n}`)
    }
    expect(lane.state().limit).toBe(2)
  })

  test('pass on what the judge said', async () => {
    const { call, end } = standing()
    const reply = replyOf({ fail: 'refused' })
    const waiting = call('a', 'a')
    await end('a', reply)
    expect(await waiting).toEqual({ kind: 'called', reply, waited_ms: 0 })
  })

  test.each([
    ['later', () => Promise.reject(new Error('bug'))],
    [
      'at once',
      () => {
        throw new Error('bug')
      },
    ],
  ])('that throw %s give their place back', async (_, make) => {
    const { lane, call, end, ended } = standing({ initial: 1, min: 1, max: 1 })
    const broken = lane.call('a', make)
    const behind = call('b', 'a')
    await expect(broken).rejects.toThrow('bug')
    await settled()
    await end('b')
    expect(ended).toEqual(['b called'])
    expect((await behind).kind).toBe('called')
    expect(lane.state()).toMatchObject({ kind: 'open', in_flight: 0 })
  })

  test('can be made inside of a call', async () => {
    const { lane, call, end, ended } = standing()
    const outer = lane.call('a', async () => {
      await call('inner', 'a')
      return GOOD
    })
    await end('inner')
    expect((await outer).kind).toBe('called')
    expect(ended).toEqual(['inner called'])
  })
})

describe('a signal', () => {
  test('takes away those that wait for it, and no others', async () => {
    const { lane, clock, call, end, started, ended } = standing({ ...SETTINGS, initial: 1 })
    const stop = new AbortController()
    const other = new AbortController()
    void call('flying', 'a', stop.signal)
    const one = call('one', 'a', stop.signal)
    void call('two', null, stop.signal)
    void call('three', 'a', other.signal)
    clock.advance(20)
    stop.abort()
    await settled()
    expect(ended).toEqual(['one cancelled', 'two cancelled'])
    expect(await one).toMatchObject({ kind: 'turned_away', waited_ms: 20 })
    expect(lane.state()).toMatchObject({ in_flight: 1, waiting: 1 })
    void call('late', 'a', stop.signal)
    await end('flying')
    await end('three')
    other.abort()
    await settled()
    expect(started).toEqual(['flying', 'three'])
    expect(ended.slice(2)).toEqual(['late cancelled', 'flying called', 'three called'])
  })

  test('is listened to once however many wait, and no longer than they do', async () => {
    const { lane, call, end } = standing({ ...SETTINGS, initial: 1 })
    const { signal, listeners } = countedSignal()
    const names = Array.from({ length: 50 }, (_, index) => `c${index}`)
    for (const name of names) void call(name, 'a', signal)
    expect(listeners()).toBe(1)
    for (const name of names) await end(name)
    expect(lane.state().waiting).toBe(0)
    expect(listeners()).toBe(0)
  })
})

describe('a broken judge', () => {
  test('lets go of the signals and the shares of those that it turns away', async () => {
    const { lane, call, fail, end, ended } = standing({ ...SETTINGS, initial: 4, max: 4 })
    const { signal, listeners } = countedSignal()
    for (const name of ['a1', 'a2', 'a3', 'a4']) void call(name, 'a')
    void call('b1', 'b', signal)
    expect([listeners(), lane.wanted('a')]).toEqual([1, 3])
    await fail('a1', 'authentication')
    lane.resume()
    expect(ended.toSorted()).toEqual(['a1 called', 'b1 authentication'])
    expect([listeners(), lane.wanted('a')]).toEqual([0, 5])
    await end('a2')
  })

  test.each<FailureCode>(['quota_exhausted', 'authentication'])(
    '(%s) turns batches away and lets one single request try',
    async (code) => {
      const { lane, call, end, fail, started, ended } = standing({ ...SETTINGS, initial: 1 })
      for (const name of ['a1', 'a2', 'b1']) void call(name, name.slice(0, 1))
      void call('s0', null)
      expect(lane.wanted('a')).toBeGreaterThan(0)
      await fail('a1', code)
      expect(ended).toEqual(
        [`a1 called`, `a2 ${code}`, `b1 ${code}`].toSorted((x, y) => ended.indexOf(x) - ended.indexOf(y)),
      )
      expect(lane.state()).toMatchObject({ kind: 'out', failure: { code }, until: null, in_flight: 1 })
      expect(lane.wanted('a')).toBe(0)
      expect(await call('a3', 'a')).toMatchObject({ kind: 'turned_away', failure: { code }, waited_ms: 0 })
      void call('s1', null)
      expect(started).toEqual(['a1', 's0'])
      await fail('s0', code)
      expect(ended.slice(-2).sort()).toEqual(['s0 called', `s1 ${code}`])
      void call('s2', null)
      void call('s3', null)
      await end('s2')
      expect(started).toEqual(['a1', 's0', 's2', 's3'])
      expect(lane.state()).toMatchObject({ kind: 'open', failure: null, until: null })
      expect(lane.wanted('a')).toBeGreaterThan(0)
    },
  )

  test('is called again once somebody says that it is mended', async () => {
    const { lane, call, fail, started } = standing({ ...SETTINGS, initial: 4 })
    for (const name of ['a1', 'a2']) void call(name, 'a')
    await fail('a1', 'authentication')
    void call('s1', null)
    void call('s2', null)
    lane.resume()
    expect(lane.state()).toMatchObject({ kind: 'open', in_flight: 3, waiting: 0 })
    expect(started).toEqual(['a1', 'a2', 's1', 's2'])
    await fail('a2', 'authentication')
    await fail('s1', 'authentication')
    expect(lane.state().kind).toBe('open')
    await fail('s2', 'authentication')
    expect(lane.state().kind).toBe('out')
  })

  test('gives its probe to the next where no call was made', async () => {
    const { lane, call, fail, flying, end, ended } = standing()
    void call('a', 'a')
    await fail('a', 'quota_exhausted')
    for (const name of ['s1', 's2', 's3']) void call(name, null)
    await fail('s1', 'budget_exceeded')
    flying.get('s2')?.reject('no store')
    await settled()
    expect(lane.state()).toMatchObject({ kind: 'out', in_flight: 1, waiting: 0 })
    await end('s3')
    expect(ended).toEqual(['a called', 's1 called', 's2 threw no store', 's3 called'])
    expect(lane.state().kind).toBe('open')
  })
})

describe('shares', () => {
  test('divide the limit by the batches that asked or call, with a reserve', async () => {
    const { lane, clock, call, end } = standing({ initial: 12, min: 1, max: 12 })
    expect(lane.wanted('a')).toBe(15)
    expect([lane.wanted('b'), lane.wanted('a')]).toEqual([8, 8])
    void call('c1', 'c')
    expect(lane.wanted('a')).toBe(5)
    void call('s1', null)
    expect(lane.wanted('a')).toBe(5)
    lane.forget('c')
    expect(lane.wanted('a')).toBe(5)
    await end('c1')
    expect(lane.wanted('a')).toBe(8)
    lane.forget('b')
    lane.forget('nobody')
    expect(lane.wanted('a')).toBe(15)
    lane.wanted('gone')
    clock.advance(59_000)
    expect(lane.wanted('a')).toBe(8)
    clock.advance(16_000)
    expect(lane.wanted('a')).toBe(15)
  })

  test('never come to nothing while the judge is in', () => {
    const { lane } = standing({ initial: 1, min: 1, max: 1 })
    const shares = Array.from({ length: 20 }, (_, index) => lane.wanted(`batch ${index}`))
    expect(Math.min(...shares)).toBeGreaterThan(0)
  })
})

describe('listeners', () => {
  test('hear of kinds, limits and shares, once for each, and of nothing else', async () => {
    const { lane, call, end, fail } = standing({ initial: 2, min: 1, max: 10 })
    const seen: string[] = []
    const stop = lane.onChange(() => seen.push(`${lane.state().kind} ${lane.state().limit} ${lane.wanted('a')}`))
    lane.wanted('a')
    for (const name of ['a1', 'a2', 'a3', 'a4']) void call(name, 'a')
    await settled()
    expect(seen).toEqual([])
    await end('a1')
    await end('a2')
    expect(seen).toEqual(['open 3 4'])
    lane.wanted('b')
    await settled()
    lane.forget('b')
    await settled()
    expect(seen.slice(1)).toEqual(['open 3 3', 'open 3 4'])
    lane.wanted('b')
    lane.forget('b')
    await settled()
    await fail('a3', 'rate_limited')
    await fail('a4', 'authentication')
    lane.resume()
    await settled()
    expect(seen.slice(3)).toEqual(['open 1 2', 'out 1 0', 'open 1 2'])
    stop()
    lane.wanted('b')
    lane.wanted('c')
    await settled()
    expect(seen).toHaveLength(6)
  })

  test('a process that is bounded wants no more for its batches than that, evenly', () => {
    const bounded = createLane({ initial: 100, min: 1, max: 100 }, fakeClock(), 16)
    expect(bounded.wanted('a')).toBe(16)
    expect([bounded.wanted('b'), bounded.wanted('a')]).toEqual([8, 8])
  })
})
