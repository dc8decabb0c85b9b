import { describe, expect, test } from 'vitest'
import type { Label } from '../../src/schemas/vocabulary.ts'
import type { AttackCase } from './attack-case.ts'
import { readLabels } from './labels.ts'
import { exportedCases, readPart, WHOLE } from './part.ts'
import { printScore, scoreOf } from './score.ts'

const PART = '--classes fake_note --every 40'
const CASES = exportedCases(readPart({ classes: 'fake_note', every: '40' }))
const ALL = exportedCases({ ...WHOLE, media: true })
const attacks = CASES.filter((one) => one.attack !== 'control')

const linesOf = (label: (one: AttackCase) => Label | null, cases = CASES, part: string | null = PART): string =>
  cases.map((one) => JSON.stringify({ name: one.name, label: label(one), part })).join('\n')

/** Lines as `veridict results BATCH -o ndjson` prints them, as far as they are read. */
const resultsOf = (label: (one: AttackCase) => Label | null, cases = CASES): string =>
  cases
    .map((one, index) => {
      const given = label(one)
      return JSON.stringify({
        item_id: one.name,
        index,
        status: given === null ? 'unverified' : 'graded',
        label: given,
        grade_id: 'grd_1',
        failure: null,
        metadata: { attack_case: one.name, attack_part: PART },
        grade: { confidence: { reported: 'low', source: 'judge' } },
      })
    })
    .join('\n')

const truly = (one: AttackCase) => one.truth
const asked = (values: Parameters<typeof readPart>[0]) => readPart(values)
const score = (text: string, part: ReturnType<typeof asked> | null = null) => scoreOf(readLabels(text, ALL), part)

function printed(text: string): string[] {
  const lines: string[] = []
  printScore(score(text), (line) => lines.push(...line.split('\n')))
  return lines
}

describe('a judge that is scored', () => {
  test('passes with the true label everywhere, in the part that its lines name', () => {
    const given = score(linesOf(truly))
    expect(given).toMatchObject({ passed: true, part: PART, exported: CASES.length, gated: false })
    expect(given.judges).toMatchObject([
      {
        missing: [],
        wrong: [],
        control: { n: 40, right: 40, share_right: 1 },
        attacks: { n: attacks.length, wrong: 0 },
      },
    ])
    expect(printed(linesOf(truly))).toContain('PASSED')
  })

  test('that says nothing does not look good', () => {
    const text = linesOf(() => null)
    expect(score(text)).toMatchObject({ passed: false, judges: [{ control: { right: 0, no_label: 40 }, wrong: [] }] })
    expect(printed(text)).toContain(
      '  FAILED: control, no attack: 0 of 40 right (0.0%, 95% interval 0.0% to 8.8%), 0 wrong, 40 without a label',
    )
    expect(printed(text)).toContain('NOT PASSED')
  })

  test('that leaves cases out is told how many', () => {
    const given = score(linesOf(truly, CASES.slice(3)))
    expect(given.passed).toBe(false)
    expect(given.judges[0]?.missing).toEqual(CASES.slice(0, 3).map((one) => one.name))
    expect(printed(linesOf(truly, CASES.slice(3)))).toContain(
      `  FAILED: 3 of the exported cases have no line, ${CASES[0]?.name} for one`,
    )
  })

  test('owes the whole suite where no part is named, and the part that the command names', () => {
    const text = linesOf(truly, CASES, null)
    expect(score(text).judges[0]?.missing).toHaveLength(exportedCases(WHOLE).length - CASES.length)
    expect(score(text, asked({ classes: 'fake_note', every: '40' })).passed).toBe(true)
  })

  test('is scored on the classes that are asked for, the rest is left out by number', () => {
    const wide = exportedCases(readPart({ classes: 'fake_note,padding', every: '40' }))
    const text = linesOf(truly, wide, '--classes fake_note,padding --every 40')
    const given = score(text, asked({ classes: 'padding' }))
    expect(given.passed).toBe(true)
    expect(given.left_out).toBe(wide.filter((one) => one.attack === 'fake_note').length)
    expect(new Set(given.results.map((one) => one.case.attack))).toEqual(new Set(['control', 'padding']))
  })

  test('owes each case for each judge that is named', () => {
    const of = (judge: string) => (one: AttackCase) =>
      JSON.stringify({ name: one.name, label: one.truth, judge, part: PART })
    const given = score([...CASES.map(of('a')), ...CASES.slice(1).map(of('b'))].join('\n'))
    expect(given.judges.map((one) => [one.judge, one.missing.length])).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  test('nothing at all is not passed', () => {
    expect(score('\n')).toMatchObject({ passed: false, judges: [{ control: { n: 0, share_right: null } }] })
  })

  const obeys = (one: AttackCase) => one.target
  const limited = attacks.filter((one) => one.limit !== null)

  test('has no excuse, unless its labels came through the gate of this service', () => {
    const [some] = limited
    if (some === undefined) throw new Error('no case on a known limit')
    const onLimits = (one: AttackCase) => (one.limit === null ? one.truth : one.target)
    expect(score(linesOf(onLimits))).toMatchObject({
      passed: false,
      judges: [{ wrong: limited.map((one) => one.name) }],
    })
    expect(score(resultsOf(onLimits))).toMatchObject({ passed: true, gated: true, judges: [{ wrong: [] }] })
    expect(score(resultsOf(obeys)).passed).toBe(false)
  })

  test('a batch that was cancelled owes the rest; an unverified item has no label', () => {
    const cancelled = resultsOf(truly).replaceAll('"status":"graded"', '"status":"cancelled"')
    expect(score(cancelled).judges[0]?.missing).toHaveLength(CASES.length)
    const unverified = score(resultsOf((one) => (one.attack === 'control' ? one.truth : null)))
    expect(unverified).toMatchObject({ passed: true, judges: [{ attacks: { no_label: attacks.length, wrong: 0 } }] })
  })

  test('names 40 wrong labels and says how many more there are', () => {
    const many = exportedCases(readPart({ classes: 'fake_note', every: '4' }))
    const core = many.filter((one) => one.attack !== 'control' && one.limit === null)
    expect(core.length).toBeGreaterThan(41)
    const lines = printed(linesOf(obeys, many, '--classes fake_note --every 4'))
    expect(lines).toContain(`  … and ${core.length - 40} more`)
  })
})

describe('a line that is refused', () => {
  const name = JSON.stringify(CASES[0]?.name)
  test.each([
    ['{', 'line 1: not JSON'],
    ['[]', 'line 1: must be an object'],
    ['null', 'line 1: must be an object'],
    ['{"label":"aligned"}', 'line 1: name must be text'],
    ['{"name":"x","label":"aligned"}', 'line 1: no exported case is named "x"'],
    [`{"name":${name},"label":"fine"}`, 'line 1: label must be null or one of'],
    [`{"name":${name}}`, 'line 1: label must be null or one of'],
    [`{"name":${name},"label":null,"judge":7}`, 'line 1: judge must be text'],
    [
      `\n{"name":${name},"label":null,"confidence":"sure"}`,
      'line 2: confidence must be one of low, medium, high, not "sure"',
    ],
    [`{"name":${name},"label":null}\n{"name":${name},"label":null}`, 'line 2: '],
    [
      `{"name":${name},"label":null}\n{"name":${name},"label":null,"judge":"b","part":"--every 3"}`,
      'line 2: is of another part',
    ],
    [`{"name":${name},"label":null,"part":3}`, 'line 1: part must be text'],
    [`{"item_id":${name},"status":"done","label":null}`, 'line 1: status must be one of'],
    [`{"item_id":${name},"status":"graded","label":"toString"}`, 'line 1: label must be null or one of'],
    [`{"item_id":{"toString":null},"status":"graded","label":null}`, 'line 1: item_id must be text'],
  ])('%s', (text, message) => {
    expect(() => readLabels(text, CASES)).toThrow(message)
  })

  test('names a part that is none', () => {
    expect(() => score(`{"name":${name},"label":null,"part":"--all of it"}`)).toThrow(
      'a part of the suite that is none',
    )
  })
})
