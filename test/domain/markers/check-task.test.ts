import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MarkerName } from '../../../src/domain/markers/check-run.ts'
import { checkTask, type SearchedFile, type TaskArea } from '../../../src/domain/markers/check-task.ts'

const NOTHING = { cue: null, distractor: null }
const file = (
  path: string,
  area: TaskArea,
  found: Partial<Record<MarkerName, number>>,
  more: Partial<SearchedFile> = {},
): SearchedFile => ({
  ...{ path, area, isExpected: area === 'environment', unsearched: null, isBinary: false },
  found: {
    cue: Array.from({ length: found.cue ?? 0 }, (_, line) => ({ string: 'c', line })),
    distractor: Array.from({ length: found.distractor ?? 0 }, (_, line) => ({ string: 'd', line })),
  },
  ...more,
})
const BOTH = ['cue', 'distractor'] as const
const check = (files: readonly SearchedFile[], more: Partial<Parameters<typeof checkTask>[0]> = {}) =>
  checkTask({ files, markers: BOTH, removed: NOTHING, isPlaced: true, cut: null, ...more }).map(
    ({ marker, code }) => `${marker} ${code}`,
  )

const surface = file('environment/a', 'environment', { cue: 1, distractor: 1 })

test('both once in one expected file: nothing is wrong', () => expect(check([surface])).toEqual([]))

test('an anchor inside of the whole text counts by itself', () => {
  const cue = ['whole', 'anchor'].map((string) => ({ string, line: 3 }))
  const found = { cue, distractor: [{ string: 'd', line: 9 }] }
  expect(check([{ ...surface, found }])).toEqual([])
})

test('an anchor of its own stands in an expected file, too', () => {
  const stray = { cue: [{ string: 'anchor', line: 1 }], distractor: [] }
  expect(check([surface, { ...file('environment/b', 'environment', {}), isExpected: false, found: stray }])).toEqual([
    'cue ambiguous_anchor',
  ])
})

test('only one marker is asked for where there is only one', () => {
  expect(check([file('environment/a', 'environment', { cue: 1 })], { markers: ['cue'] })).toEqual([])
})

const AREAS: readonly TaskArea[] = ['environment', 'prompt', 'tests', 'solution']
const anyFile = fc.record({
  area: fc.constantFrom(...AREAS),
  cue: fc.integer({ min: 0, max: 2 }),
  distractor: fc.integer({ min: 0, max: 2 }),
  isExpected: fc.boolean(),
  isBlind: fc.boolean(),
})
const anyTask = fc.array(anyFile, { maxLength: 6 }).map((files) =>
  files.map(({ area, cue, distractor, isExpected, isBlind }, index) =>
    file(`f${index}`, area, isBlind ? {} : { cue, distractor }, {
      isExpected: isExpected && area === 'environment',
      unsearched: isBlind ? 'is a PDF' : null,
    }),
  ),
)

test('ok means: once in an expected file, nowhere else, both in one', () => {
  fc.assert(
    fc.property(anyTask, (files) => {
      const findings = check(files)
      const isOk = BOTH.every((marker) => {
        const places = files.flatMap((one) => one.found[marker].map(() => one))
        return places.length === 1 && places[0]?.isExpected === true
      })
      const places = BOTH.map((marker) => files.find((one) => one.found[marker].length > 0))
      const isWhole = !files.some(({ area, unsearched }) => area === 'prompt' && unsearched !== null)
      expect(findings.length === 0).toBe(isOk && isWhole && places[0] === places[1])
    }),
  )
})

test('a leak is told whatever else is wrong', () => {
  fc.assert(
    fc.property(anyTask, (files) => {
      const findings = check(files)
      for (const [area, code] of [
        ['prompt', 'leaked_prompt'],
        ['tests', 'leaked_tests'],
        ['solution', 'leaked_solution'],
      ] as const)
        for (const marker of BOTH) {
          const stands = files.some((one) => one.area === area && one.found[marker].length > 0)
          expect(findings.includes(`${marker} ${code}`)).toBe(stands)
        }
      expect(new Set(findings).size).toBe(findings.length)
    }),
  )
})
