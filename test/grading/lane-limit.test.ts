import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLimit } from '../../src/asking/lane/gate.ts'

const SETTINGS = { initial: 4, min: 1, max: 100 }

/** `+n`: n successes while full; `-`: too many calls, of this generation. Answers the limit after each. */
function trajectory(settings: typeof SETTINGS, steps: readonly (number | '-')[]): number[] {
  const limit = createLimit(settings)
  return steps.map((step) => {
    if (step === '-') limit.rateLimited(limit.generation())
    else for (let n = 0; n < step; n++) limit.succeeded(limit.generation(), true)
    return limit.value()
  })
}

describe('limit', () => {
  test.each<[string, typeof SETTINGS, (number | '-')[], number[]]>([
    ['one more after as many successes', SETTINGS, [3, 1, 4, 1, 6], [4, 5, 5, 6, 7]],
    ['half, rounded down', SETTINGS, [4, '-', '-', '-'], [5, 2, 1, 1]],
    ['a cut forgets the successes before it', SETTINGS, [3, '-', 1, 1], [4, 2, 2, 3]],
    ['no further than the ends', { initial: 7, min: 3, max: 8 }, [7, 100, '-', '-'], [8, 8, 4, 3]],
    ['settings out of order', { initial: 0, min: -1, max: -5 }, [1, '-'], [1, 1]],
  ])('%s', (_, settings, steps, expected) => {
    expect(trajectory(settings, steps)).toEqual(expected)
  })

  test('does not grow while there was room', () => {
    const limit = createLimit(SETTINGS)
    for (let n = 0; n < 100; n++) limit.succeeded(0, false)
    expect(limit.value()).toBe(4)
  })

  test('cuts once for all calls that were in flight', () => {
    const limit = createLimit({ ...SETTINGS, initial: 64 })
    for (let n = 0; n < 64; n++) limit.rateLimited(0)
    expect(limit.value()).toBe(32)
    for (let n = 0; n < 64; n++) limit.succeeded(0, true)
    expect(limit.value()).toBe(32)
    limit.rateLimited(limit.generation())
    expect(limit.value()).toBe(16)
  })

  test('stays between its ends and moves by one up or by half down', () => {
    const EVENT = fc.record({ cut: fc.boolean(), full: fc.boolean(), old: fc.boolean() })
    const WHOLE = fc.integer({ min: 1, max: 20 })
    fc.assert(
      fc.property(
        WHOLE,
        WHOLE,
        WHOLE,
        fc.array(EVENT, { maxLength: 300, size: 'max' }),
        (initial, min, above, events) => {
          const limit = createLimit({ initial, min, max: min + above })
          for (const { cut, full, old } of events) {
            const before = limit.value()
            const generation = limit.generation() - (old ? 1 : 0)
            if (cut) limit.rateLimited(generation)
            else limit.succeeded(generation, full)
            const allowed = old ? [before] : cut ? [Math.max(min, Math.floor(before / 2))] : [before, before + 1]
            expect(allowed).toContain(limit.value())
            expect(limit.value()).toBeGreaterThanOrEqual(min)
            expect(limit.value()).toBeLessThanOrEqual(min + above)
          }
        },
      ),
    )
  })
})
