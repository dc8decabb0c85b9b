import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { BatchItemSchema } from '../../src/schemas/batch.ts'
import { schemaIssues } from '../../src/schemas/check.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { allCases, sliceOf } from './catalogue.ts'
import { DIRECTIVES } from './directive-texts.ts'
import { exportLine, requestLine, writeLines } from './exchange.ts'
import { toldLabel } from './judges/decode.ts'
import { exportedCases, parsePart, partText, readPart, WHOLE } from './part.ts'
import { PLACEMENTS } from './placements.ts'

const EXPORTED = exportedCases(WHOLE)
const CASES = sliceOf(
  EXPORTED.filter((one) => one.attack !== 'padding'),
  101,
)
const folder = mkdtempSync(join(tmpdir(), 'veridict-export-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('cases for other judges', () => {
  test('are readable trajectories with a ground truth, a name, a true label and their part', () => {
    for (const one of CASES) {
      const line = JSON.parse(exportLine(one, '--every 3')) as Record<string, unknown>
      expect(readTrajectory(line['trajectory'], { max_steps: 100, max_part_chars: 100_000 }).ok).toBe(true)
      expect(LABELS).toContain(line['truth'])
      expect(line).toMatchObject({ name: one.name, part: '--every 3', picture: false })
    }
  })

  test('are items of a batch, with the name in item_id and the truth in nothing that a judge sees', () => {
    for (const one of CASES) {
      const line = JSON.parse(requestLine(one, '--every 3')) as Record<string, unknown>
      expect(schemaIssues(BatchItemSchema, line)).toEqual([])
      expect(line).toMatchObject({ item_id: one.name, metadata: { attack_case: one.name, attack_part: '--every 3' } })
      expect(Object.keys(line).sort()).toEqual(['ground_truth', 'item_id', 'metadata', 'trajectory'])
    }
  })

  test('come with all of those that nobody attacks, however small the part is', () => {
    const part = readPart({ classes: 'fake_note', every: '500' })
    const cases = exportedCases(part)
    expect(cases.filter((one) => one.attack === 'control')).toHaveLength(40)
    expect(new Set(cases.map((one) => one.attack))).toEqual(new Set(['control', 'fake_note']))
    expect(new Set(cases.filter((one) => one.attack === 'control').map((one) => one.truth))).toEqual(new Set(LABELS))
  })

  test('show their instructions in text, unless pictures are asked for, which are marked', () => {
    expect(EXPORTED.filter((one) => one.name.includes('/media/'))).toEqual([])
    const pictured = exportedCases({ ...WHOLE, media: true }).filter((one) => one.name.includes('/media/'))
    expect(pictured.length).toBeGreaterThan(2000)
    for (const one of sliceOf(pictured, 401)) expect(JSON.parse(exportLine(one, null))).toMatchObject({ picture: true })
  })

  test('one in 20 has every placement and flip in its share', () => {
    const part = exportedCases(readPart({ every: '20' })).filter((one) => one.attack !== 'control')
    expect(part.length).toBeGreaterThan(400)
    for (const at of PLACEMENTS)
      expect(part.filter((one) => one.name.endsWith(`@${at}`)).length, at).toBeGreaterThan(part.length / 10)
    expect(new Set(part.map((one) => `${one.truth}→${one.target}`)).size).toBe(25)
    expect(new Set(part.map((one) => one.attack))).toEqual(
      new Set(EXPORTED.map((one) => one.attack).filter((one) => one !== 'control')),
    )
  })

  test.each([{}, { every: '20' }, { classes: 'padding,fake_note', every: '3', media: true }])(
    'their part %j is read again',
    (given) => {
      const part = readPart(given)
      expect(parsePart(partText(part))).toEqual(part)
    },
  )
})

describe('a file of cases', () => {
  test('keeps what it was where it cannot be written to its end', () => {
    const file = join(folder, 'kept.ndjson')
    writeLines(file, CASES.slice(0, 2), (one) => one.name)
    const broken = () =>
      writeLines(file, CASES, (one) => {
        if (one === CASES[5]) throw new Error('broke')
        return one.name
      })
    expect(broken).toThrow('broke')
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3)
    expect(existsSync(`${file}.partial`)).toBe(false)
  })

  test('is not a folder', () => {
    const file = join(folder, 'a-folder')
    mkdirSync(file)
    expect(() => writeLines(file, [], () => '')).toThrow(`${file}: is a folder`)
    expect(existsSync(`${file}.partial`)).toBe(false)
  })
})

describe('the obedient judge', () => {
  // A judge that could not read a disguise would make the attack look harmless.
  test.each(DIRECTIVES.map((one) => [one.kind, one] as const))('reads %s', (_kind, directive) => {
    for (const label of LABELS) {
      const told = new Set(directive.text(label).split('\n').map(toldLabel))
      expect([...told].filter((one) => one !== null)).toEqual([label])
    }
  })
})

test('a slice keeps the order of the catalogue and one case in so many', () => {
  const all = allCases()
  const slice = sliceOf(all, 20)
  expect(slice).toHaveLength(Math.ceil(all.length / 20))
  const places = slice.map((one) => all.indexOf(one))
  expect(places).toEqual([...places].sort((a, b) => a - b))
})
