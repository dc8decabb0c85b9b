import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLimit } from '../../src/asking/lane/limit.ts'
import { type Change, type Heard, type SharedJudge, type Told, tellAt } from '../../src/asking/shared/shared-limits.ts'
import type { Failure } from '../../src/schemas/grade.ts'

const FAILURE: Failure = { code: 'timeout', message: 'no answer', retryable: true, retry_after_s: null }
const BROKEN: Failure = { ...FAILURE, code: 'authentication' }
const TOLD: Told = { calls: true, pause: null, epoch: 0, change: null }

/** A judge of which processes tell one after another. */
function judgeOf() {
  let state: SharedJudge | null = null
  let now = 0
  return {
    tell(process: string, told: Partial<Told> = {}): Heard {
      const done = tellAt(state, process, { ...TOLD, ...told }, now)
      // What is stored is JSON.
      state = JSON.parse(JSON.stringify(done.state)) as SharedJudge
      return done.heard
    },
    pass(ms: number) {
      now += ms
    },
    state: () => state,
  }
}

describe('a limit', () => {
  test('is divided without a rest, and gives each one call at least', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 60 }), (of, whole) => {
        const settings = { initial: whole, min: whole, max: whole }
        const shares = Array.from({ length: of }, (_, place) => createLimit(settings, () => ({ of, place })).value())
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.max(of, whole))
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('is nothing while it is not known whose part it is, and goes on from what was found when it is known', () => {
    let part: { of: number; place: number } | null = null
    const limit = createLimit({ initial: 4, min: 1, max: 12 }, () => part)
    expect([limit.value(), limit.reach()]).toEqual([0, 4])
    part = { of: 2, place: 0 }
    expect(limit.value()).toBe(2)
    for (const success of [1, 2]) limit.succeeded(0, success > 0)
    expect(limit.value()).toBe(3)
    part = { of: 3, place: 2 }
    expect(limit.value()).toBe(2)
    limit.rateLimited(0)
    part = { of: 1, place: 0 }
    expect(limit.value()).toBe(3)
  })
})

describe('what processes tell', () => {
  test('divides the limit among those who have calls and were heard in the last five seconds', () => {
    const { tell, pass } = judgeOf()
    expect(tell('b').part).toEqual({ of: 1, place: 0 })
    expect(tell('a').part).toEqual({ of: 2, place: 0 })
    expect(tell('b').part).toEqual({ of: 2, place: 1 })
    pass(4_000)
    expect(tell('b').part.of).toBe(2)
    pass(1_000)
    expect(tell('b').part.of).toBe(1)
    expect(tell('b', { calls: false }).part).toEqual({ of: 1, place: 0 })
    expect(tell('c').part.of).toBe(1)
  })

  test('pauses for as long as the longest that was asked for', () => {
    const { tell, pass } = judgeOf()
    tell('a', { pause: { failure: FAILURE, for_ms: 5000 } })
    pass(1000)
    tell('b', { pause: { failure: FAILURE, for_ms: 100 } })
    expect(tell('c').pause).toEqual({ failure: FAILURE, for_ms: 4000, until: 5000 })
    pass(4000)
    expect(tell('c').pause).toBeNull()
  })
})

describe('an outage', () => {
  const resting: Partial<Told> = { change: { kind: 'resting', failure: FAILURE } }

  test('found by one is one for all, lasts longer each time, and ends for all', () => {
    const { tell, pass } = judgeOf()
    const out = { failure: FAILURE, for_ms: 30_000 }
    expect(tell('a', resting)).toMatchObject({ epoch: 1, outage: out, counted: true, rests: 1 })
    // It was seen by both: what b says of the time before is no news.
    expect(tell('b', resting)).toMatchObject({ epoch: 1, outage: out, counted: false })
    pass(30_000)
    expect(tell('b', { epoch: 1 })).toMatchObject({ outage: { for_ms: 0 } })
    expect(tell('a', { ...resting, epoch: 1 })).toMatchObject({ epoch: 2, outage: { for_ms: 60_000 } })
    expect(tell('b', { ...resting, epoch: 1 })).toMatchObject({ epoch: 2, rests: 2, counted: false })
    expect(tell('b', { epoch: 2, change: { kind: 'opened' } })).toMatchObject({ epoch: 3, outage: null, rests: 0 })
    expect(tell('a', { ...resting, epoch: 2 })).toMatchObject({ epoch: 3, outage: null, counted: false })
  })

  test('that only a person can mend is known whoever says it, mended by anybody, and tried by who begins anew', () => {
    const { tell } = judgeOf()
    const broken: Partial<Told> = { change: { kind: 'broken', failure: BROKEN } }
    tell('a', resting)
    expect(tell('b', broken)).toMatchObject({ epoch: 2, outage: { failure: BROKEN, for_ms: null } })
    expect(tell('b', { ...broken, epoch: 1 })).toMatchObject({ epoch: 2, counted: false })
    expect(tell('a', { ...resting, epoch: 2 }).outage).toEqual({ failure: BROKEN, for_ms: null })
    expect(tell('new', { epoch: -1 })).toMatchObject({ epoch: 3, outage: { for_ms: 0 } })
    expect(tell('a', { change: { kind: 'mended' } })).toMatchObject({ epoch: 4, outage: null })
    expect(tell('a', { change: { kind: 'mended' }, epoch: 4 })).toMatchObject({ epoch: 4, counted: false })
  })

  test('is changed by news alone, whatever is told in whatever order', () => {
    const CHANGE = fc.constantFrom<Change | null>(
      null,
      { kind: 'resting', failure: FAILURE },
      { kind: 'broken', failure: BROKEN },
      { kind: 'opened' },
      { kind: 'mended' },
    )
    const STEP = fc.record({ change: CHANGE, epoch: fc.integer({ min: -1, max: 8 }), pass: fc.nat(700_000) })
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
        const judge = judgeOf()
        for (const { pass, ...told } of steps) {
          const before = judge.tell('watcher')
          const heard = judge.tell('a', told)
          const after = judge.tell('watcher')
          expect(heard.epoch - before.epoch).toBeLessThanOrEqual(2)
          if (heard.epoch === before.epoch) expect(after.outage).toEqual(before.outage)
          if (after.outage === null) expect(after.rests).toBe(0)
          if (heard.counted) expect(heard.epoch).toBeGreaterThan(before.epoch)
          judge.pass(pass)
        }
      }),
    )
  })
})
