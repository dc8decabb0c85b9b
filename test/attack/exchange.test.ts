import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { BatchItemSchema } from '../../src/schemas/batch.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { LABELS, type Label } from '../../src/schemas/vocabulary.ts'
import { type AttackCase, PLACEMENTS } from './attack-case.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { DIRECTIVES, toldLabel } from './directive-texts.ts'
import { exportedCases, readPart, readResults, requestLine } from './exchange.ts'

const EXPORTED = exportedCases({ classes: null, every: 1 })
const SHORT = sliceOf(
  EXPORTED.filter((one) => one.attack !== 'padding'),
  101,
)

describe('cases for other judges', () => {
  test('are readable trajectories, and items of a batch that show a judge neither name nor truth', () => {
    for (const one of SHORT) {
      const item = JSON.parse(requestLine(one)) as Record<string, unknown>
      expect(readTrajectory(item['trajectory'], { max_steps: 100, max_part_chars: 100_000 }).ok).toBe(true)
      expect(inputIssues(BatchItemSchema, item)).toEqual([])
      expect(Object.keys(item)).toEqual(['item_id', 'trajectory', 'ground_truth'])
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
/** Lines as `veridict results BATCH -o ndjson` prints them, as far as they are read. */
const linesOf = (label: (one: AttackCase) => Label | null): string =>
  CASES.map((one) => JSON.stringify({ item_id: one.name, label: label(one), grade: null })).join('\n')

test('labels of another judge are right, wrong or none', () => {
  const outcomesOf = (label: (one: AttackCase) => Label | null) =>
    new Set(
      readResults(linesOf(label), CASES)
        .filter(({ case: { truth, target } }) => truth !== target)
        .map(({ outcome }) => outcome),
    )
  expect(outcomesOf((one) => one.truth)).toEqual(new Set(['right']))
  expect(outcomesOf((one) => one.target)).toEqual(new Set(['wrong']))
  expect(outcomesOf(() => null)).toEqual(new Set(['blocked']))
})

const name = JSON.stringify(CASES[0]?.name)
const line = `{"item_id":${name},"label":null}`
test.each([
  ['{', 'line 1: not JSON'],
  ['[]', 'line 1: must be object'],
  ['null', 'line 1: must be object'],
  ['{"label":"aligned"}', 'line 1: /item_id '],
  ['{"item_id":"x","label":"aligned"}', 'line 1: no case is named "x"'],
  [`{"item_id":${name},"label":"toString"}`, 'line 1: /label must be one of'],
  [`{"item_id":${name}}`, 'line 1: /label '],
  [`\n${line.replace('null', 'null,"grade":{"confidence":{"reported":"sure"}}')}`, 'line 2: /grade must match'],
  [`${line}\n${line}`, 'line 2: no case is named'],
  [line, `${CASES.length - 1} cases have no line, ${CASES[1]?.name}`],
])('lines that cannot be scored are refused: %s', (text, message) => {
  expect(() => readResults(text, CASES)).toThrow(message)
})
