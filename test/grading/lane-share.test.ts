import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Look, Verdict, View } from '../../src/asking/shared/shared-limits.ts'
import { fairShare } from '../../src/asking/shared/shared-limits-share.ts'
import { lookAt, type SharedState, withoutProcess } from '../../src/asking/shared/shared-limits-state.ts'
import type { Failure } from '../../src/schemas/grade.ts'

const FAILURE: Failure = { code: 'timeout', message: 'no answer', retryable: true, retry_after_s: null }
const BROKEN: Failure = { ...FAILURE, code: 'authentication' }
const SETTINGS = { initial: 10, min: 1, max: 10 }
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const

const LOOK: Look = {
  settings: SETTINGS,
  books_ms: 10_000,
  keeps: 0,
  wants: 0,
  generation: 0,
  successes: 0,
  cut: null,
  pause: null,
  epoch: 0,
  verdict: null,
  probe: 'none',
}

/** A judge that processes look at one after another. */
function judgeOf(settings = SETTINGS) {
  let state: SharedState | null = null
  let now = 0
  return {
    look(process: string, look: Partial<Look> = {}): View {
      const done = lookAt(state, process, { ...LOOK, settings, ...look }, now)
      // What is stored is JSON.
      state = JSON.parse(JSON.stringify(done.state)) as SharedState
      return done.view
    },
    leave(process: string) {
      state = state && withoutProcess(state, process)
    },
    pass(ms: number) {
      now += ms
    },
    state(): SharedState {
      if (state === null) throw new Error('nobody has looked')
      return state
    },
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)
const heldBy = (state: SharedState) => Object.values(state.shares).reduce((sum, { held }) => sum + held, 0)

describe('a fair share', () => {
  test.each<[string, number, Record<string, number>, Record<string, number>]>([
    ['all there is, for one', 10, { a: 50 }, { a: 10 }],
    ['no more than is wanted', 10, { a: 3 }, { a: 3 }],
    ['the same for all', 9, { a: 9, b: 9, c: 9 }, { a: 3, b: 3, c: 3 }],
    ['what the modest leave', 10, { a: 1, b: 50, c: 50, d: 0 }, { a: 1, b: 5, c: 4, d: 0 }],
    ['the odd ones to some', 11, { a: 9, b: 9, c: 9 }, { a: 4, b: 4, c: 3 }],
    ['one after another, where there are too few', 1, { a: 1, b: 1, c: 1 }, { a: 1, b: 0, c: 0 }],
    ['nothing of nothing', 0, { a: 1 }, { a: 0 }],
  ])('is %s', (_, limit, wants, shares) => {
    const all = new Map(Object.entries(wants))
    expect(Object.fromEntries([...all.keys()].map((name) => [name, fairShare(limit, all, name, 0)]))).toEqual(shares)
  })

  test('of all together is what there is or what they want, none is envied by more than one, and all get their turn', () => {
    const WANTS = fc.dictionary(fc.constantFrom(...NAMES), fc.nat(30), { minKeys: 1 })
    fc.assert(
      fc.property(fc.nat(40), WANTS, fc.nat(10_000_000), (limit, wants, start) => {
        const all = new Map(Object.entries(wants))
        const got = new Map<string, number>()
        for (let turn = 0; turn < NAMES.length; turn++) {
          const shares = [...all].map(([name]) => [name, fairShare(limit, all, name, start + turn * 3000)] as const)
          const least = Math.min(...shares.filter(([name, share]) => share < (all.get(name) ?? 0)).map(([, it]) => it))
          for (const [name, share] of shares) {
            expect(share).toBeLessThanOrEqual(Math.min(all.get(name) ?? 0, least + 1))
            got.set(name, (got.get(name) ?? 0) + share)
          }
          const sum = shares.reduce((total, [, share]) => total + share, 0)
          expect(sum).toBe(
            Math.min(
              limit,
              [...all.values()].reduce((total, want) => total + want, 0),
            ),
          )
        }
        const hungry = [...all].filter(([, want]) => want > 0 && limit > 0)
        for (const [name] of hungry) expect(got.get(name)).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('looks', () => {
  test('give what is free, and the fair share once the others have given back', () => {
    const { look, state } = judgeOf()
    expect(look('a', { wants: 20 })).toMatchObject({ may: 10, could: 10 })
    expect(look('b', { wants: 4 })).toMatchObject({ may: 0, could: 5 })
    expect(look('a', { wants: 20, keeps: 10 })).toMatchObject({ may: 6, could: 6 })
    expect(look('b', { wants: 4 }).may).toBe(0)
    // It had eight in flight, and says so: what is in flight cannot be given back.
    look('a', { wants: 20, keeps: 8 })
    expect(look('b', { wants: 4 }).may).toBe(2)
    look('a', { wants: 20, keeps: 6 })
    expect(look('b', { wants: 4, keeps: 2 }).may).toBe(4)
    expect(heldBy(state())).toBe(10)
    look('a')
    expect(Object.keys(state().shares)).toEqual(['b'])
    expect(look('b', { wants: 30, keeps: 4 }).may).toBe(10)
  })

  test('find what the dead held when it runs out, and what those who leave held at once', () => {
    const { look, leave, pass } = judgeOf()
    look('dead', { wants: 7 })
    look('leaving', { wants: 3 })
    expect(look('a', { wants: 10 }).may).toBe(0)
    leave('leaving')
    expect(look('a', { wants: 10 }).may).toBe(3)
    pass(6000)
    // It has not asked for so long that nothing more is left for it; what it has may still be in flight.
    expect(look('a', { wants: 10, keeps: 3 })).toMatchObject({ may: 3, could: 5 })
    pass(4000)
    expect(look('a', { wants: 10, keeps: 3 }).may).toBe(10)
    // It was stopped and comes back with calls in flight.
    expect(look('dead', { wants: 7, keeps: 7 }).may).toBe(0)
    expect(look('a', { wants: 10, keeps: 10 }).may).toBe(3)
  })

  test('cut once a generation and raise by one after as many successes', () => {
    const { look, state } = judgeOf({ initial: 8, min: 1, max: 9 })
    look('a', { wants: 4 })
    look('b', { wants: 4 })
    expect(look('a', { wants: 4, keeps: 4, cut: 0 })).toMatchObject({ generation: 1, may: 0 })
    expect(look('b', { wants: 4, keeps: 4, cut: 0 })).toMatchObject({ generation: 1, may: 0 })
    look('a', { wants: 2, keeps: 2, generation: 1 })
    look('b', { wants: 2, keeps: 2, generation: 1 })
    look('a', { wants: 2, keeps: 2, successes: 50, generation: 0 })
    expect(state().limit).toBe(4)
    look('a', { wants: 2, keeps: 2, successes: 2, generation: 1 })
    look('b', { wants: 2, keeps: 2, successes: 1, generation: 1 })
    expect(state().limit).toBe(4)
    look('b', { wants: 2, keeps: 2, successes: 1, generation: 1 })
    expect(state()).toMatchObject({ limit: 5, successes: 0 })
    // One place is free: that these two are answered says nothing.
    look('b', { wants: 2, keeps: 2, successes: 50, generation: 1 })
    expect(state().limit).toBe(5)
    look('b', { wants: 3, keeps: 2, generation: 1 })
    look('b', { wants: 3, keeps: 3, successes: 100, generation: 1 })
    expect(state().limit).toBe(9)
  })

  test('pause for as long as the longest that was asked for', () => {
    const { look, pass } = judgeOf()
    look('a', { wants: 1, pause: { failure: FAILURE, for_ms: 5000 } })
    pass(1000)
    look('b', { wants: 1, pause: { failure: FAILURE, for_ms: 100 } })
    const { pause } = look('c')
    expect(pause).toEqual({ failure: FAILURE, for_ms: 4000, until: 5000 })
    pass(4000)
    expect(look('c').pause).toBeNull()
  })

  test('begin anew after ten minutes without anybody', () => {
    const { look, pass } = judgeOf()
    look('a', { wants: 10, cut: 0 })
    expect(look('a').generation).toBe(1)
    pass(599_000)
    expect(look('b', { wants: 10 }).may).toBe(5)
    look('b')
    pass(600_000)
    expect(look('b', { wants: 10 }).may).toBe(10)
  })
})

describe('an outage', () => {
  const resting = { verdict: { kind: 'resting', failure: FAILURE } as Verdict }

  test('found by one is one for all, is tried by one, lasts longer each time, and ends for all', () => {
    const { look, pass } = judgeOf()
    look('a', { wants: 1 })
    look('b', { wants: 1 })
    const out = { failure: FAILURE, for_ms: 30_000 }
    expect(look('a', resting)).toMatchObject({ epoch: 1, outage: out, counted: true, rests: 1 })
    // It was seen by both: what b says of the time before is no news.
    expect(look('b', resting)).toMatchObject({ epoch: 1, outage: out, counted: false })
    const asks = { wants: 1, epoch: 1, probe: 'wanted', books_ms: 60_000 } as const
    expect(look('a', asks).may_probe).toBe(false)
    pass(30_000)
    expect(look('a', asks).may_probe).toBe(true)
    expect(look('b', asks)).toMatchObject({ may_probe: false, outage: { for_ms: 0 } })
    expect(look('a', { ...asks, probe: 'held', keeps: 1 }).may_probe).toBe(true)
    expect(look('a', { ...asks, ...resting, probe: 'none' })).toMatchObject({ epoch: 2, outage: { for_ms: 60_000 } })
    pass(60_000)
    expect(look('b', { ...asks, epoch: 2 }).may_probe).toBe(true)
    expect(look('b', { epoch: 2, verdict: { kind: 'opened' } })).toMatchObject({ epoch: 3, outage: null, rests: 0 })
    expect(look('a', { ...resting, epoch: 2 })).toMatchObject({ epoch: 3, outage: null, counted: false })
  })

  test('is tried by another when whoever was to do it gives up or dies', () => {
    const { look, pass } = judgeOf()
    look('a', resting)
    pass(30_000)
    const asks = { wants: 1, epoch: 1, probe: 'wanted' } as const
    expect(look('a', asks).may_probe).toBe(true)
    expect(look('b', asks).may_probe).toBe(false)
    look('a', { epoch: 1 })
    expect(look('b', asks).may_probe).toBe(true)
    expect(look('a', asks).may_probe).toBe(false)
    pass(9_000)
    look('a', asks)
    pass(1_000)
    expect(look('a', asks).may_probe).toBe(true)
  })

  test('that only a person can mend is known whoever says it, mended by anybody, and tried by who begins anew', () => {
    const { look } = judgeOf()
    const broken = { verdict: { kind: 'broken', failure: BROKEN } as Verdict }
    look('a', resting)
    expect(look('b', broken)).toMatchObject({ epoch: 2, outage: { failure: BROKEN, for_ms: null } })
    expect(look('b', { ...broken, epoch: 1 })).toMatchObject({ epoch: 2, counted: false })
    expect(look('a', { ...resting, epoch: 2 }).outage).toEqual({ failure: BROKEN, for_ms: null })
    expect(look('a', { epoch: 2, wants: 1, probe: 'wanted' }).may_probe).toBe(true)
    expect(look('new', { epoch: -1 })).toMatchObject({ epoch: 3, outage: { for_ms: 0 } })
    expect(look('a', { verdict: { kind: 'mended' } })).toMatchObject({ epoch: 4, outage: null })
    expect(look('a', { verdict: { kind: 'mended' }, epoch: 4 })).toMatchObject({ epoch: 4, counted: false })
  })
})

function checkLimit(before: SharedState, after: SharedState, { cut }: Look): void {
  expect(heldBy(after)).toBeLessThanOrEqual(Math.max(after.limit, heldBy(before)))
  const isCut = cut === before.generation
  expect(after.generation).toBe(before.generation + (isCut ? 1 : 0))
  if (!isCut) expect(after.limit).toBeGreaterThanOrEqual(before.limit)
}

/** Nobody takes the probe from another who lives, has not let go of it, and whose judge is still out. */
function checkProbe(before: SharedState, after: SharedState, process: string, view: View): void {
  expect(view.may_probe).toBe(after.probe === process && view.outage !== null)
  if (before.probe === null || before.probe === process || after.outage === null) return
  if (after.shares[before.probe] !== undefined && after.epoch <= before.epoch + 1)
    expect(after.probe).toBe(before.probe)
}

interface Said {
  readonly keeps: number
  readonly cut: boolean
  readonly probe: Look['probe']
}

describe('whatever is said', () => {
  const FAILED = fc.constantFrom<Verdict>(
    { kind: 'resting', failure: FAILURE },
    { kind: 'broken', failure: BROKEN },
    { kind: 'opened' },
    { kind: 'mended' },
  )
  const STEP = fc.record({
    process: fc.constantFrom(...NAMES),
    wants: fc.nat(12),
    /** Of what it holds, in twelfths: what is still in flight or may yet be begun. */
    keeps: fc.nat(12),
    pass: fc.oneof({ weight: 5, arbitrary: fc.nat(500) }, fc.nat(12_000)),
    cut: fc.boolean(),
    successes: fc.nat(20),
    verdict: fc.option(FAILED, { freq: 3 }),
    probe: fc.constantFrom<Look['probe']>('none', 'wanted', 'held'),
    /** It says what it knew two looks ago. */
    is_late: fc.boolean(),
    leaves: fc.nat(15).map((n) => n === 0),
  })
  /** What an honest process says, that was last heard so. */
  function known(state: SharedState, process: string, last: View | undefined, said: Said): Partial<Look> {
    const { generation, epoch } = last ?? { generation: -1, epoch: -1 }
    return {
      generation,
      epoch,
      keeps: Math.floor(((state.shares[process]?.held ?? 0) * said.keeps) / 12),
      cut: said.cut ? generation : null,
      // Whoever may not try it is not trying it.
      probe: said.probe === 'held' && state.probe !== process ? 'wanted' : said.probe,
    }
  }
  const LIMITS = fc.record({ initial: fc.integer({ min: 1, max: 9 }), min: fc.constant(1), max: fc.constant(9) })

  test('no look lets the shares go over the limit, cuts are one a generation, one process probes', () => {
    fc.assert(
      fc.property(LIMITS, fc.array(STEP, { maxLength: 60, size: 'max' }), (settings, steps) => {
        const judge = judgeOf(settings)
        const heard = new Map<string, View[]>()
        judge.look('a')
        for (const { process, pass, keeps, cut, is_late, leaves, ...said } of steps) {
          judge.pass(pass)
          if (leaves) judge.leave(process)
          const before = judge.state()
          const last = heard.get(process)?.at(is_late ? -2 : -1)
          const look: Look = { ...LOOK, ...said, settings, ...known(before, process, last, { keeps, cut, ...said }) }
          const view = judge.look(process, look)
          const after = judge.state()
          heard.set(process, [...(heard.get(process) ?? []), view])
          expect(after.shares[process]?.held ?? 0).toBe(Math.max(view.may, look.keeps))
          expect(view.may).toBeLessThanOrEqual(view.could)
          checkLimit(before, after, look)
          checkProbe(before, after, process, view)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('everybody who wants has a fair share after a few looks, and nothing is left over', () => {
    const WANTS = fc.array(fc.nat(15), { minLength: 1, maxLength: NAMES.length })
    const AGAIN = fc.record({ before: WANTS, wants: WANTS, limit: fc.integer({ min: 1, max: 12 }) })
    fc.assert(
      fc.property(AGAIN, ({ before, wants, limit }) => {
        const judge = judgeOf({ initial: limit, min: limit, max: limit })
        const may = new Map<string, number>()
        const round = (all: readonly number[], ms: number) => {
          for (const [index, name] of NAMES.entries()) {
            const want = all[index] ?? 0
            may.set(name, judge.look(name, { wants: want, keeps: Math.min(want, may.get(name) ?? 0) }).may)
          }
          judge.pass(ms)
        }
        for (let n = 0; n < 3; n++) round(before, 0)
        for (let n = 0; n < 5; n++) round(wants, 0)
        const waiting = wants.filter((want) => want > 0).length
        for (const [index, want] of wants.entries())
          expect(may.get(NAMES[index] ?? '')).toBeGreaterThanOrEqual(Math.min(want, Math.floor(limit / waiting)))
        expect(heldBy(judge.state())).toBe(Math.min(limit, sumOf(wants)))
        const had = new Set<string>()
        const note = () => [...may].filter(([, its]) => its > 0).map(([name]) => had.add(name))
        for (let second = 0; second < 3 * NAMES.length + 3; second++) {
          round(wants, 1000)
          note()
        }
        expect(had.size).toBe(waiting)
      }),
      { numRuns: 300 },
    )
  })
})
