import { describe, expect, test } from 'vitest'
import { Lane, PRIORITY } from '../../src/grading/lane.ts'
import type { JudgeReply } from '../../src/judges/judge.ts'
import { replyOf, type Script } from './harness.ts'

/** Opens a lane whose calls end when the test says so. */
function standing(settings = { initial: 2, min: 1, max: 10 }) {
  const lane = new Lane(settings)
  const started: string[] = []
  const flying = new Map<string, PromiseWithResolvers<void>>()
  const tells = new Map<string, (reply: JudgeReply) => void>()
  const call = (name: string, priority: number = PRIORITY.batch, signal?: AbortSignal) =>
    lane.run(
      priority,
      async () => {
        started.push(name)
        tells.set(name, lane.begin())
        const flight = Promise.withResolvers<void>()
        flying.set(name, flight)
        await flight.promise
        return name
      },
      signal,
    )
  async function end(name: string, script: Script = '{}'): Promise<void> {
    tells.get(name)?.(replyOf(script))
    flying.get(name)?.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { lane, started, flying, call, end }
}

test('calls start in turn, and single requests before the items of batches', async () => {
  const { lane, started, call, end } = standing()
  const calls = ['a', 'b', 'c', 'd'].map((name) => call(name))
  calls.push(call('single', PRIORITY.single))
  expect(lane.state).toEqual({ limit: 2, in_flight: 2, waiting: 3 })
  for (const name of ['a', 'b', 'single', 'c', 'd']) await end(name, { fail: 'refused' })
  expect(started).toEqual(['a', 'b', 'single', 'c', 'd'])
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd', 'single'])
  expect(lane.state).toEqual({ limit: 2, in_flight: 0, waiting: 0 })
})

test('work that throws gives its slot back', async () => {
  const { lane, call, end } = standing({ initial: 1, min: 1, max: 1 })
  const broken = lane.run(PRIORITY.batch, () => Promise.reject(new Error('bug')))
  const behind = call('behind')
  await expect(broken).rejects.toThrow('bug')
  await end('behind')
  expect(await behind).toBe('behind')
})

test('a signal takes away the calls that wait, and no call in flight', async () => {
  const { lane, started, call, end } = standing({ initial: 1, min: 1, max: 1 })
  const leaving = new AbortController()
  const flying = call('flying', PRIORITY.batch, leaving.signal)
  const waiting = call('waiting', PRIORITY.batch, leaving.signal)
  const other = call('other')
  leaving.abort('left')
  await expect(waiting).rejects.toBe('left')
  await expect(call('late', PRIORITY.batch, leaving.signal)).rejects.toBe('left')
  expect(lane.state).toMatchObject({ in_flight: 1, waiting: 1 })
  await end('flying')
  await end('other')
  expect(await Promise.all([flying, other])).toEqual(['flying', 'other'])
  expect(started).toEqual(['flying', 'other'])
})

test('the limit grows by one after as many good replies as slots, while all slots are full, up to its most', async () => {
  const { lane, call, end } = standing({ initial: 2, min: 1, max: 4 })
  for (let n = 0; n < 20; n++) {
    void call(`alone ${n}`)
    await end(`alone ${n}`)
  }
  expect(lane.state.limit).toBe(2)
  const limits: number[] = []
  for (let n = 0; n < 30; n++) void call(`${n}`)
  for (let n = 0; n < 20; n++) {
    await end(`${n}`)
    limits.push(lane.state.limit)
  }
  expect(limits).toEqual([2, 3, 3, 3, ...Array(16).fill(4)])
})

test('refusals for the rate halve the limit, once for all calls that began before', async () => {
  const { lane, call, end } = standing({ initial: 8, min: 2, max: 8 })
  for (let n = 0; n < 40; n++) void call(`${n}`)
  const limits: number[] = []
  const fail = async (name: string) => {
    await end(name, { fail: 'rate_limited', retry_after_s: 1 })
    limits.push(lane.state.limit)
  }
  for (const name of ['0', '1', '2', '3', '4']) await fail(name)
  // The other calls of that time say nothing of the new limit.
  await end('5')
  expect([lane.state.limit, lane.state.in_flight]).toEqual([4, 4])
  for (const name of ['6', '7', '8', '9', '10', '11', '12', '13', '14', '15']) await fail(name)
  expect(limits).toEqual([4, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2])
})

test('failures of other kinds leave the limit alone', async () => {
  const { lane, call, end } = standing()
  for (const fail of ['timeout', 'judge_unreachable', 'refused', 'authentication', 'internal'] as const) {
    void call(fail)
    await end(fail, { fail })
  }
  expect(lane.state).toEqual({ limit: 2, in_flight: 0, waiting: 0 })
})

describe('with few calls that ask at once', () => {
  /** Opens a lane of four slots in which two calls may ask. */
  function asking() {
    const lane = new Lane({ initial: 4, min: 1, max: 4 }, 2)
    const asked: string[] = []
    const calls = new Map<string, { admit: () => void; end: () => void }>()
    const call = (name: string, priority: number = PRIORITY.batch) =>
      lane.run(priority, (admit) => {
        asked.push(name)
        const flight = Promise.withResolvers<void>()
        calls.set(name, { admit, end: () => flight.resolve() })
        return flight.promise
      })
    const settled = () => new Promise((resolve) => setImmediate(resolve))
    return { lane, asked, call, calls, settled }
  }

  test('a call asks once another call is admitted, or has gone without being admitted', async () => {
    const { asked, call, calls, settled } = asking()
    const all = ['a', 'b', 'c', 'd'].map((name) => call(name))
    all.push(call('single', PRIORITY.single))
    expect(asked).toEqual(['a', 'b'])
    calls.get('a')?.admit()
    expect(asked).toEqual(['a', 'b', 'single'])
    calls.get('b')?.end()
    await settled()
    expect(asked).toEqual(['a', 'b', 'single', 'c'])
    for (const name of ['single', 'c', 'd', 'a']) {
      calls.get(name)?.admit()
      calls.get(name)?.end()
      await settled()
    }
    await Promise.all(all)
  })

  test('no more calls are admitted than the lane has slots', async () => {
    const { asked, call, calls, settled } = asking()
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => call(name))
    for (const name of ['a', 'b', 'c', 'd']) calls.get(name)?.admit()
    expect(asked).toEqual(['a', 'b', 'c', 'd'])
    calls.get('a')?.end()
    await settled()
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'e'])
    for (const { end } of calls.values()) end()
    await Promise.all(all)
  })

  test('the end of an admitted call wakes the oldest call that the limit has refused', async () => {
    const { lane, call, calls, settled } = asking()
    const woken: string[] = []
    const pause = (name: string) =>
      lane
        .pause((signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
        .then(() => woken.push(name))
    void pause('first')
    void pause('second')
    const [refused, admitted] = [call('refused'), call('admitted')]
    calls.get('refused')?.end()
    await refused
    await settled()
    expect(woken).toEqual([])
    calls.get('admitted')?.admit()
    calls.get('admitted')?.end()
    await admitted
    await settled()
    expect(woken).toEqual(['first'])
  })
})
