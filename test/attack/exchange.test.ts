import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { BatchItemSchema } from '../../src/schemas/batch.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { LABELS, type Label } from '../../src/schemas/vocabulary.ts'
import { type AttackCase, PLACEMENTS } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { DIRECTIVES, toldLabel } from './directive-texts.ts'
import { exportedCases, exportLine, type Part, readPart, requestLine, WHOLE } from './exchange.ts'
import { readLabels } from './labels.ts'
import { printScore, scoreOf } from './score.ts'

const EXPORTED = exportedCases(WHOLE)
const SHORT = sliceOf(
  EXPORTED.filter((one) => one.attack !== 'padding'),
  101,
)

describe('cases for other judges', () => {
  test('are readable trajectories, and items of a batch that show a judge neither name nor truth', () => {
    for (const one of SHORT) {
      const line = JSON.parse(exportLine(one)) as Record<string, unknown>
      expect(readTrajectory(line['trajectory'], { max_steps: 100, max_part_chars: 100_000 }).ok).toBe(true)
      expect(line).toMatchObject({ name: one.name, truth: one.truth })
      const item = JSON.parse(requestLine(one)) as Record<string, unknown>
      expect(inputIssues(BatchItemSchema, item)).toEqual([])
      expect(item).toMatchObject({ item_id: one.name, metadata: { attack_case: one.name } })
      expect(Object.keys(item).sort()).toEqual(['ground_truth', 'item_id', 'metadata', 'trajectory'])
    }
  })

  test('come with all of those that nobody attacks, however small the part is', () => {
    const cases = exportedCases(readPart({ classes: 'fake_note', every: '500' }))
    const control = cases.filter((one) => one.attack === 'control')
    expect(control).toHaveLength(40)
    expect(new Set(cases.map((one) => one.attack))).toEqual(new Set(['control', 'fake_note']))
    expect(new Set(control.map((one) => one.truth))).toEqual(new Set(LABELS))
  })

  test('show their instructions in text; one in 20 has every placement and flip in its share', () => {
    expect(EXPORTED.filter((one) => one.name.includes('/media/'))).toEqual([])
    const part = exportedCases(readPart({ every: '20' })).filter((one) => one.attack !== 'control')
    expect(part.length).toBeGreaterThan(400)
    for (const at of PLACEMENTS)
      expect(part.filter((one) => one.name.endsWith(`@${at}`)).length, at).toBeGreaterThan(part.length / 10)
    expect(new Set(part.map((one) => `${one.truth}→${one.target}`)).size).toBe(25)
    const classes = new Set(EXPORTED.map((one) => one.attack).filter((one) => one !== 'control'))
    expect(new Set(part.map((one) => one.attack))).toEqual(classes)
  })

  test('a slice keeps the order of the catalogue and one case in so many', () => {
    const all = allCases()
    const places = sliceOf(all, 20).map((one) => all.indexOf(one))
    expect(places).toHaveLength(Math.ceil(all.length / 20))
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })
})

// A judge that could not read a disguise would make the attack look harmless.
test.each(DIRECTIVES.map((one) => [one.kind, one] as const))('the obedient judge reads %s', (_kind, directive) => {
  for (const label of LABELS) {
    const told = new Set(directive.text(label).split('\n').map(toldLabel))
    expect([...told].filter((one) => one !== null)).toEqual([label])
  }
})

const PART = { classes: ['fake_note'], every: 40 } as const
const CASES = exportedCases(PART)
const attacks = CASES.filter((one) => one.attack !== 'control')

const linesOf = (label: (one: AttackCase) => Label | null, cases = CASES): string =>
  cases.map((one) => JSON.stringify({ name: one.name, label: label(one) })).join('\n')

/** Lines as `veridict results BATCH -o ndjson` prints them, as far as they are read. */
const resultsOf = (label: (one: AttackCase) => Label | null): string =>
  CASES.map((one, index) => {
    const given = label(one)
    return JSON.stringify({
      ...{ item_id: one.name, index, label: given, grade_id: 'grd_1', failure: null },
      status: given === null ? 'unverified' : 'graded',
      metadata: { attack_case: one.name },
      grade: { confidence: { reported: 'low', source: 'judge' } },
    })
  }).join('\n')

const truly = (one: AttackCase) => one.truth
const obeys = (one: AttackCase) => one.target
const score = (text: string, part: Part = PART) => scoreOf(readLabels(text, EXPORTED), part)

function printed(text: string, part?: Part): string[] {
  const lines: string[] = []
  printScore(score(text, part), (line) => lines.push(...line.split('\n')))
  return lines
}

describe('a judge that is scored', () => {
  test('passes with the true label everywhere', () => {
    const given = score(linesOf(truly))
    expect(given).toMatchObject({ passed: true, exported: CASES.length, gated: false })
    expect(given.judges).toMatchObject([
      { missing: [], wrong: [], control: { n: 40, right: 40 }, attacks: { n: attacks.length, wrong: 0 } },
    ])
    expect(printed(linesOf(truly))).toContain('PASSED')
  })

  test('that says nothing does not look good', () => {
    const text = linesOf(() => null)
    expect(score(text)).toMatchObject({ passed: false, judges: [{ control: { right: 0, blocked: 40 }, wrong: [] }] })
    expect(printed(text)).toContain(
      '  FAILED: control, no attack: 0 of 40 right (0.0%, 95% interval 0.0% to 8.8%), 0 wrong, 40 without a label',
    )
    expect(printed(text)).toContain('NOT PASSED')
    expect(score('\n')).toMatchObject({ passed: false, judges: [{ control: { n: 0 } }] })
  })

  test('owes every case of the part, and nothing else; lines of other cases are left out by number', () => {
    const given = score(linesOf(truly, CASES.slice(3)))
    expect(given).toMatchObject({ passed: false, judges: [{ missing: CASES.slice(0, 3).map((one) => one.name) }] })
    expect(score(linesOf(truly), WHOLE).judges[0]?.missing).toHaveLength(EXPORTED.length - CASES.length)
    const control = score(linesOf(truly), { ...PART, classes: [] })
    expect(control).toMatchObject({ passed: true, left_out: attacks.length })
    expect(new Set(control.results.map((one) => one.case.attack))).toEqual(new Set(['control']))
  })

  test('owes each case for each judge that is named', () => {
    const of = (judge: string) => (one: AttackCase) => JSON.stringify({ name: one.name, label: one.truth, judge })
    const given = score([...CASES.map(of('a')), ...CASES.slice(1).map(of('b'))].join('\n'))
    expect(given.judges.map((one) => [one.judge, one.missing.length])).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  test('has no excuse, unless its labels came through the gate of this service', () => {
    const limited = attacks.filter((one) => one.limit !== null)
    expect(limited.length).toBeGreaterThan(0)
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
    expect(unverified).toMatchObject({ passed: true, judges: [{ attacks: { blocked: attacks.length, wrong: 0 } }] })
  })

  test('names 40 wrong labels and says how many more there are', () => {
    const part = { ...PART, every: 4 }
    const many = exportedCases(part)
    const core = many.filter((one) => one.attack !== 'control' && one.limit === null)
    expect(core.length).toBeGreaterThan(41)
    expect(printed(linesOf(obeys, many), part)).toContain(`  … and ${core.length - 40} more`)
  })
})

const name = JSON.stringify(CASES[0]?.name)
test.each([
  ['{', 'line 1: not JSON'],
  ['[]', 'line 1: must be object'],
  ['null', 'line 1: must be object'],
  ['{"label":"aligned"}', 'line 1: /name '],
  ['{"name":"x","label":"aligned"}', 'line 1: no exported case is named "x"'],
  [`{"name":${name},"label":"fine"}`, 'line 1: /label must be one of'],
  [`{"name":${name}}`, 'line 1: /label '],
  [`{"name":${name},"label":null,"judge":7}`, 'line 1: /judge must be string'],
  [`\n{"name":${name},"label":null,"confidence":"sure"}`, 'line 2: /confidence must be one of low, medium, high'],
  [`{"name":${name},"label":null}\n{"name":${name},"label":null}`, 'is scored twice'],
  [`{"item_id":${name},"status":"done","label":null}`, 'line 1: /status must be one of'],
  [`{"item_id":${name},"status":"graded","label":"toString"}`, 'line 1: /label must be one of'],
  [`{"item_id":{"toString":null},"status":"graded","label":null}`, 'line 1: /item_id must be string'],
])('a line that cannot be scored is refused: %s', (text, message) => {
  expect(() => score(text)).toThrow(message)
})
