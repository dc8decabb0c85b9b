import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBreaker, type Outcome, outcomeOf, type Pass, STRIKES } from '../../src/asking/lane/gate.ts'
import { FAILURE_CODES } from '../../src/schemas/vocabulary.ts'
import { replyOf } from './harness.ts'

const FAILURE = { code: 'timeout', message: 'no answer', retryable: true, retry_after_s: null } as const

/** A breaker on a clock of its own, in seconds. */
function standing() {
  const breaker = createBreaker()
  let now = 0
  const end = (pass: Pass, outcome: Outcome) =>
    breaker.settle(pass, outcome, outcome === 'answered' ? null : { ...FAILURE, message: outcome }, now * 1000)
  const call = (outcome: Outcome) => end(breaker.start(), outcome)
  return {
    breaker,
    end,
    call,
    pass: (seconds: number) => {
      now += seconds
    },
    /** Lets the rest pass by, then says how long it was. */
    sitOut: () => {
      const rest = (breaker.outage()?.until ?? Number.NaN) / 1000 - now
      now += rest
      return rest
    },
    fall: () => {
      for (let n = 0; n < STRIKES; n++) call('silent')
    },
    can: () => [breaker.refuses(true, now * 1000), breaker.refuses(false, now * 1000), breaker.admits(now * 1000)],
  }
}
const OPEN = [false, false, true]
const SHUT = [true, true, false]
const MANUAL = [false, true, true]
const PROBING_MANUAL = [false, true, false]

test('every failure is one of an answer, too many, silence, a broken judge and no call', () => {
  const seen = Object.fromEntries(FAILURE_CODES.map((fail) => [fail, outcomeOf(replyOf({ fail }))]))
  expect(seen).toEqual({
    judge_unreachable: 'silent',
    timeout: 'silent',
    rate_limited: 'rate_limited',
    quota_exhausted: 'broken',
    authentication: 'broken',
    refused: 'answered',
    truncated: 'answered',
    schema_invalid: 'answered',
    context_overflow: 'answered',
    budget_exceeded: 'not_called',
    cancelled: 'not_called',
    internal: 'not_called',
  })
  expect(outcomeOf(replyOf('{}'))).toBe('answered')
})

describe('silence', () => {
  test.each<[Outcome, number]>([
    ['answered', 0],
    ['rate_limited', 0],
    ['not_called', STRIKES - 1],
  ])('after %s, %i strikes are left', (outcome, kept) => {
    const { breaker, call } = standing()
    for (let n = 0; n < STRIKES - 1; n++) call('silent')
    call(outcome)
    for (let n = kept; n < STRIKES - 1; n++) expect(call('silent')).toBeNull()
    expect(breaker.outage()).toBeNull()
    expect(call('silent')).toBe('all')
    expect(breaker.outage()).toEqual({ failure: { ...FAILURE, message: 'silent' }, until: 30_000 })
  })

  test('rests twice as long each time, up to ten minutes, and thirty seconds again after an answer', () => {
    const { call, fall, sitOut, can } = standing()
    fall()
    const rests: number[] = []
    for (let n = 0; n < 7; n++) {
      expect(can()).toEqual(SHUT)
      rests.push(sitOut())
      expect(can()).toEqual(OPEN)
      expect(call('silent')).toBe('all')
    }
    expect(rests).toEqual([30, 60, 120, 240, 480, 600, 600])
    sitOut()
    expect(call('answered')).toBeNull()
    expect(can()).toEqual(OPEN)
    fall()
    expect(sitOut()).toBe(30)
  })

  test('goes by the probe, not by what was in flight before', () => {
    const { breaker, end, fall, sitOut } = standing()
    const early = [breaker.start(), breaker.start(), breaker.start()] as const
    fall()
    const outage = breaker.outage()
    expect(end(early[0], 'silent')).toBeNull()
    expect(end(early[1], 'answered')).toBeNull()
    expect(breaker.outage()).toBe(outage)
    sitOut()
    expect(end(early[2], 'broken')).toBe('batches')
    expect(breaker.outage()?.until).toBeNull()
  })
})

describe('a judge that only a person can mend', () => {
  test('is not opened by a probe that started when it was merely silent', () => {
    const { breaker, end, fall, sitOut, can } = standing()
    const early = breaker.start()
    fall()
    sitOut()
    const probe = breaker.start()
    end(early, 'broken')
    expect(can()).toEqual(PROBING_MANUAL)
    expect(end(probe, 'answered')).toBeNull()
    expect(can()).toEqual(MANUAL)
  })

  test('mending one that is in changes nothing', () => {
    const { breaker, end, can } = standing()
    const early = breaker.start()
    breaker.mend()
    end(early, 'broken')
    expect(can()).toEqual(MANUAL)
  })
})

test('whatever happens, one probe is out at most, and one that is answered opens it', () => {
  const OUTCOME = fc.constantFrom<Outcome>('answered', 'rate_limited', 'silent', 'broken', 'not_called')
  const STEP = fc.oneof({ weight: 4, arbitrary: OUTCOME }, { weight: 3, arbitrary: fc.constant('start' as const) })
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 100, size: 'max' }), (steps) => {
      const { breaker, end, sitOut, can } = standing()
      const flying: Pass[] = []
      const probes = new Set<Pass>()
      for (const step of steps) {
        if (step === 'start') {
          if (!can()[2]) continue
          const out = breaker.outage() !== null
          const pass = breaker.start()
          flying.push(pass)
          if (out) probes.add(pass)
        } else {
          const pass = flying.shift()
          if (pass !== undefined) end(pass, step)
        }
        expect(flying.filter((pass) => probes.has(pass)).length).toBeLessThanOrEqual(1)
      }
      for (const pass of flying) end(pass, 'not_called')
      if (breaker.outage()?.until != null) sitOut()
      expect(can()[2]).toBe(true)
      end(breaker.start(), 'answered')
      expect(can()).toEqual(OPEN)
    }),
    { numRuns: 500 },
  )
})
