import { describe, expect, test } from 'vitest'
import { replyOf } from './harness.ts'
import { START } from './lane-clock.ts'
import { createHub, type SimulatedProcess } from './lane-hub.ts'

const GOOD = replyOf('{}')
const TIMEOUT = replyOf({ fail: 'timeout' })
const BROKEN = replyOf({ fail: 'authentication' })
const steady = (limit: number) => ({ initial: limit, min: limit, max: limit })

/** Keeps as many calls going as the lane wants for it, as a batch does, until it is told to stop. */
function keepBusy(process: SimulatedProcess, party: string, ms: number, reply = () => GOOD) {
  let open = 0
  let ended = 0
  let stopped = false
  const kinds: string[] = []
  const fill = () => {
    for (; !stopped && open < process.lane.wanted(party); open++)
      void process.call(party, ms, reply).then((call) => {
        open -= 1
        ended += 1
        kinds.push(call.kind)
        fill()
      })
  }
  const end = process.lane.onChange(fill)
  fill()
  return {
    ended: () => ended,
    kinds,
    stop() {
      stopped = true
      process.lane.forget(party)
      end()
    },
  }
}

describe('a judge that processes share', () => {
  test('is looked at once a second while it is busy, and not at all while nothing goes on', async () => {
    const { open, run, started, sleeping } = createHub(steady(4))
    const one = open()
    const batch = keepBusy(one, 'a', 100)
    await run(60_000)
    expect(one.looks()).toBeGreaterThan(50)
    expect(one.looks()).toBeLessThan(70)
    // Four at once, ten times a second.
    expect(started.length).toBeGreaterThan(2300)
    batch.stop()
    await run(63_000)
    const looks = one.looks()
    await run(600_000)
    expect([one.looks() - looks, sleeping()]).toEqual([0, 0])
  })

  test('answers a single call after one look', async () => {
    const { open, run, started } = createHub(steady(4))
    const one = open()
    const call = one.call(null, 10, GOOD)
    await run(20)
    expect(await call).toMatchObject({ kind: 'called' })
    expect([one.looks(), started.length]).toEqual([1, 1])
  })

  test('is divided evenly among those who call it, whoever came first, and falls to the others when one ends or dies', async () => {
    const { open, run, started, inFlight } = createHub(steady(12))
    const first = open()
    const batches = [keepBusy(first, 'a', 400)]
    await run(5_000)
    const others = [open(), open(), open()]
    batches.push(...others.map((process) => keepBusy(process, 'a', 400)))
    await run(10_000)
    expect(inFlight()).toBe(12)
    expect([first, ...others].map(({ lane }) => lane.state().limit)).toEqual([3, 3, 3, 3])
    const before = started.length
    await run(40_000)
    const counts = new Map<string, number>()
    for (const { process } of started.slice(before)) counts.set(process, (counts.get(process) ?? 0) + 1)
    for (const count of counts.values()) expect(count).toBeGreaterThan(210)
    batches[0]?.stop()
    others[0]?.die()
    await run(48_000)
    expect(others.slice(1).map(({ lane }) => lane.state().limit)).toEqual([6, 6])
    for (const batch of batches) batch.stop()
  })

  test('takes one call of each where more processes call it than it takes calls', async () => {
    const { open, run, inFlight } = createHub(steady(2))
    const processes = Array.from({ length: 5 }, open)
    const batches = processes.map((process) => keepBusy(process, 'a', 300))
    await run(20_000)
    expect(processes.map(({ lane }) => lane.state().limit)).toEqual([1, 1, 1, 1, 1])
    expect(inFlight()).toBe(5)
    for (const batch of batches) batch.stop()
  })

  test('pauses for all when one is asked to', async () => {
    const { open, run, started } = createHub({ initial: 8, min: 1, max: 8 })
    const [one, two] = [open(), open()]
    for (const process of [one, two]) keepBusy(process, 'a', 200)
    await run(5_000)
    void one.call(null, 50, replyOf({ fail: 'rate_limited', retry_after_s: 20 }))
    await run(7_500)
    expect([one, two].map(({ lane }) => lane.state().kind)).toEqual(['paused', 'paused'])
    // Only the part of the one that was told.
    expect([one, two].map(({ lane }) => lane.state().limit)).toEqual([2, 4])
    const before = started.length
    await run(24_900)
    expect(started.length).toBe(before)
    await run(27_000)
    expect(started.length).toBeGreaterThan(before)
  })

  test('that is out for one is out for all, tried by one call of each, and back for all', async () => {
    const { open, run, started, state } = createHub(steady(15))
    let reply = GOOD
    const processes = [open(), open(), open()]
    const batches = processes.map((process) => keepBusy(process, 'a', 100, () => reply))
    await run(5_000)
    reply = TIMEOUT
    await run(8_000)
    const states = () => processes.map(({ lane }) => lane.state().kind)
    expect(states()).toEqual(['out', 'out', 'out'])
    const known = started.length
    await run(70_000)
    // A try of each 30 s after it went out; the next is due a minute later.
    expect(started.length - known).toBe(3)
    await run(90_000)
    expect(started.length - known).toBe(3)
    expect(state()?.rests).toBe(2)
    reply = GOOD
    await run(100_000)
    expect(states()).toEqual(['open', 'open', 'open'])
    expect(started.length - known).toBeGreaterThan(100)
    for (const batch of batches) batch.stop()
  })

  test('that only a person can mend is mended for all by one, also by who was idle', async () => {
    const { open, run, started, now } = createHub(steady(8))
    let reply = BROKEN
    const [one, two, idle] = [open(), open(), open()]
    const batches = [one, two].map((process) => keepBusy(process, 'a', 100, () => reply))
    await run(3_000)
    expect([one, two].map(({ lane }) => lane.state())).toMatchObject(Array(2).fill({ kind: 'out', until: null }))
    const known = started.length
    await run(50_000)
    expect(started.length).toBe(known)
    reply = GOOD
    idle.lane.resume()
    // Nothing goes on in them, and nobody asks: their batches go on when they hear of it.
    await run(52_000)
    expect([one, two].map(({ lane }) => lane.state().kind)).toEqual(['open', 'open'])
    expect(new Set(started.slice(known).map(({ process }) => process)).size).toBe(2)
    for (const batch of batches) batch.stop()
    expect(START + now()).toBeGreaterThan(START)
  })

  test('is called on while the database is away, until what was given runs out; nothing fails', async () => {
    const { open, run, started, decide } = createHub(steady(6))
    const batches = [open(), open()].map((process) => keepBusy(process, 'a', 200))
    await run(5_000)
    decide(() => ({ fate: 'away', ms: 10 }))
    await run(10_000)
    expect(started.filter(({ at }) => at > 5_000).length).toBeGreaterThan(130)
    await run(30_000)
    expect(started.at(-1)?.at).toBeLessThanOrEqual(15_100)
    decide(() => ({ fate: 'answered', ms: 10 }))
    const before = started.length
    await run(40_000)
    expect(started.length - before).toBeGreaterThan(250)
    for (const { kinds, stop } of batches) {
      expect(new Set(kinds)).toEqual(new Set(['called']))
      stop()
    }
  })
})

describe('a provider that takes 20 calls in a second', () => {
  test('is used well and seldom asked for too much by three processes together', async () => {
    const { open, run, now } = createHub({ initial: 10, min: 1, max: 500 })
    const count = { taken: 0, refused: 0 }
    let [tokens, last] = [40, 0]
    const provider = () => {
      tokens = Math.min(40, tokens + (now() - last) / 50)
      last = now()
      const takes = tokens >= 1
      if (takes) tokens -= 1
      count[takes ? 'taken' : 'refused'] += 1
      return takes ? GOOD : replyOf({ fail: 'rate_limited' })
    }
    const processes = [open(), open(), open()]
    const batches = processes.map((process) => keepBusy(process, 'a', 1_000, provider))
    await run(300_000)
    Object.assign(count, { taken: 0, refused: 0 })
    const limits: number[] = []
    for (let second = 300; second < 800; second++) {
      await run(second * 1000)
      limits.push(processes.reduce((sum, { lane }) => sum + lane.state().limit, 0))
    }
    const mean = limits.reduce((sum, limit) => sum + limit, 0) / limits.length
    expect(count.taken).toBeGreaterThan(0.7 * 20 * 500)
    expect(count.refused).toBeLessThan(0.12 * count.taken)
    expect(mean).toBeGreaterThan(13)
    expect(mean).toBeLessThan(27)
    for (const batch of batches) batch.stop()
  })
})

describe('a look that is slow', () => {
  test('does not take back what was found out since it was asked', async () => {
    const { open, run, decide } = createHub(steady(20))
    const one = open()
    for (let n = 0; n < 13; n++) void one.call('a', 1_100, TIMEOUT)
    await run(900)
    decide(() => ({ fate: 'answered', ms: 500 }))
    await run(1_200)
    expect(one.lane.state().kind).toBe('out')
    for (let ms = 1_210; ms < 4_000; ms += 10) {
      await run(ms)
      expect(one.lane.state().kind).toBe('out')
    }
  })

  test('that tells of an outage which another has found out meanwhile does not make it a second one', async () => {
    const { open, run, decide, state } = createHub(steady(26))
    const [one, two] = [open(), open()]
    for (let n = 0; n < 13; n++) {
      void one.call('a', 1_100, TIMEOUT)
      void two.call('b', 900, TIMEOUT)
    }
    await run(850)
    decide(() => ({ fate: 'answered', ms: 500 }))
    await run(1_200)
    expect([one, two].map(({ lane }) => lane.state().kind)).toEqual(['out', 'out'])
    await run(5_000)
    expect(state()).toMatchObject({ epoch: 1, rests: 1 })
    expect(one.lane.state().until?.getTime()).toBeLessThan(START + 32_000)
  })

  test.each(['away', 'unheard'] as const)('that is lost (%s) is made again with all that it told', async (fate) => {
    const { open, run, decide, state } = createHub({ initial: 8, min: 1, max: 8 })
    const [one, two] = [open(), open()]
    const batch = keepBusy(two, 'b', 100)
    await run(1_000)
    decide(() => ({ fate, ms: 5 }))
    void one.lane.resume()
    await run(1_100)
    void two.call(null, 50, replyOf({ fail: 'rate_limited', retry_after_s: 30 }))
    await run(2_000)
    void two.call(null, 50, GOOD)
    batch.stop()
    decide(() => ({ fate: 'answered', ms: 5 }))
    await run(5_000)
    expect(state()).toMatchObject({ pause: { failure: { code: 'rate_limited' } } })
    // Nothing went on in it: it hears of that with its next call.
    void one.call(null, 50, GOOD)
    await run(5_100)
    expect(one.lane.state().kind).toBe('paused')
  })
})
