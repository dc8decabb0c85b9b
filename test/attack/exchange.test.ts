import { describe, expect, test } from 'vitest'
import { allCases, sliceOf } from '../../attack/catalogue.ts'
import { DIRECTIVES } from '../../attack/directive-texts.ts'
import { exportLine, isTextual, readScores } from '../../attack/exchange.ts'
import { toldLabel } from '../../attack/judges/decode.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'

const CASES = sliceOf(
  allCases().filter((one) => isTextual(one) && one.attack !== 'padding'),
  101,
)

describe('cases for other judges', () => {
  test('are readable trajectories with a ground truth, a name and a true label', () => {
    for (const one of CASES) {
      const line = JSON.parse(exportLine(one)) as { trajectory: unknown; truth: string; name: string }
      expect(readTrajectory(line.trajectory, { max_steps: 100, max_part_chars: 100_000 }).ok).toBe(true)
      expect(LABELS).toContain(line.truth)
      expect(line.name).toBe(one.name)
    }
  })

  test('are scored by name and judge', () => {
    const [first, second, third] = CASES
    if (!first || !second || !third) throw new Error('too few cases')
    const wrong = LABELS.find((label) => label !== second.truth)
    const lines = [
      { name: first.name, label: first.truth, judge: 'mine' },
      { name: second.name, label: wrong },
      { name: third.name, label: null },
    ]
    const results = readScores(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n`, CASES)
    expect(results.map((one) => [one.judge, one.outcome])).toEqual([
      ['mine', 'right'],
      ['judge', 'wrong'],
      ['judge', 'blocked'],
    ])
  })

  const name = JSON.stringify(CASES[0]?.name)
  test.each([
    ['{', 'line 1: not JSON'],
    ['[]', 'line 1: name must be text'],
    ['{"name":"x","label":"aligned"}', 'line 1: no case is named "x"'],
    [`{"name":${name},"label":"fine"}`, 'line 1: label must be null or one of'],
    [`{"name":${name}}`, 'line 1: label must be null or one of'],
    [`{"name":${name},"label":null}\n{"name":${name},"label":null}`, 'line 2: '],
  ])('%s is refused', (text, message) => {
    expect(() => readScores(text, CASES)).toThrow(message)
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
