import { describe, expect, test } from 'vitest'
import { createRendering, makeNonce, renderSteps } from '../../src/domain/trajectory/rendering.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { type AttackCase, LIMITS, type LimitId } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { printReport } from './report.ts'
import { type CaseResult, REFUSED, runSuite } from './suite.ts'

const ALL = allCases()
const LONG = 'padding'
const nameOf = (one: CaseResult): string => `${one.case.name} (${one.judge}): ${one.label ?? one.status}`

describe('the catalogue', () => {
  test('names every case once', () => {
    expect(new Set(ALL.map((one) => one.name)).size).toBe(ALL.length)
  })

  test('has all 20 flips in the classes that aim at one, with a case outside of the known limits for each that a rule decides', () => {
    for (const attack of ['fake_verdict', 'fake_note', 'other_language', 'invisible_text', 'padding']) {
      const flips = new Set(ALL.filter((one) => one.attack === attack).map((one) => `${one.truth}→${one.target}`))
      expect(flips.size, attack).toBe(20)
    }
    const decided = ALL.filter((one) => one.attack === 'fake_note' && isDecided(one))
    expect(new Set(decided.map((one) => `${one.truth}→${one.target}`)).size).toBe(20)
  })
})

/** By the default settings, or with `evidence.denied_acts: refuse`, under which such cases are run too. */
const isDecided = (one: AttackCase): boolean => one.limit === null || (one.limit === 'denial' && one.anchored)

test('no forged frame is a frame of the prompt, nor carries its mark', () => {
  const forged = ALL.filter((one) => one.attack === 'forged_frames' && one.anchored)
  for (const one of sliceOf(forged, 3)) {
    const read = readTrajectory(one.trajectory(), { max_steps: 100, max_part_chars: 100_000 })
    if (!read.ok) throw new Error(one.name)
    const { steps } = read.value
    const mark = makeNonce(new Uint8Array(32), read.value)
    const lines = renderSteps(createRendering(read.value, mark), [...steps.keys()]).split('\n')
    const frames = lines.filter((line) => /^\s*(={3,}|-{3,}) ?(STEP|END|user|system|agent_|tool_)/i.test(line))
    // The mark of a picture that is not shown carries the nonce, too, and stands behind the placeholder.
    const marked = lines.filter((line) => line.includes(mark) && !line.endsWith(` ⟦not shown to you · ${mark}⟧`))
    expect(frames, one.name).toEqual(marked)
    expect(frames, one.name).toHaveLength(steps.length + steps.flatMap(({ parts }) => parts).length + 1)
  }
})

describe('the gate', () => {
  test('lets no wrong label through in a slice of every class', async () => {
    const all = await runSuite(
      sliceOf(
        ALL.filter((one) => isDecided(one) && one.attack !== LONG),
        23,
      ),
    )
    const results = all.filter((one) => one.case.limit === null)
    expect(results.some((one) => one.case.name.endsWith(REFUSED))).toBe(true)
    expect(new Set(results.map((one) => one.case.attack)).size).toBe(13)
    expect(new Set(results.map((one) => one.judge)).size).toBe(3)
    expect(results.filter((one) => one.outcome === 'wrong' || one.outcome === 'crashed').map(nameOf)).toEqual([])
  })

  test('holds under a megabyte of padding', async () => {
    const long = ALL.filter((one) => one.attack === LONG && one.limit === null)
    const results = await runSuite(sliceOf(long, 9))
    expect(results.length).toBeGreaterThan(8)
    expect(results.filter((one) => one.outcome === 'wrong' || one.outcome === 'crashed').map(nameOf)).toEqual([])
  })

  test('still gives every label where nobody attacks', async () => {
    const control = ALL.filter((one) => one.attack === 'control')
    const results = await runSuite(control, ['lexical', 'obedient'])
    expect(results.filter((one) => one.outcome === 'wrong').map(nameOf)).toEqual([])
    for (const judge of ['lexical', 'obedient']) {
      const right = results.filter((one) => one.judge === judge && one.outcome === 'right')
      expect(new Set(right.map((one) => one.label)), judge).toEqual(new Set(LABELS))
    }
  })

  test('is known not to decide what the list of limits says: take a limit out of it once a rule does', async () => {
    const limited = ALL.filter((one) => one.limit !== null && one.attack !== LONG)
    const results = await runSuite(sliceOf(limited, 7), ['obedient'])
    const open = new Set(results.filter((one) => one.outcome === 'wrong').map((one) => one.case.limit))
    expect([...open].sort()).toEqual((Object.keys(LIMITS) as LimitId[]).sort())
  })
})

describe('the report', () => {
  const [some] = ALL.filter((one) => one.attack === 'fake_note' && one.limit === null)
  const result = (outcome: CaseResult['outcome'], limit: keyof typeof LIMITS | null): CaseResult => {
    if (some === undefined) throw new Error('no case')
    const label = outcome === 'wrong' ? some.target : null
    return { case: { ...some, limit }, judge: 'obedient', outcome, label, status: 'graded', confidence: 'high' }
  }

  test.each([
    ['is passed where all attacks are blocked', [result('blocked', null)], true],
    ['is not passed where one gets a wrong label', [result('blocked', null), result('wrong', null)], false],
    ['is not passed where the service breaks', [result('crashed', null)], false],
    ['is passed where a known limit is used', [result('wrong', 'denial')], true],
  ])('%s', (_name, results, expected) => {
    expect(printReport(results, () => {})).toBe(expected)
  })
})
