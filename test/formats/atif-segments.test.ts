import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { atif, expectPlaces, oddIn, pathsOf, read, refuse } from './make.ts'

const idsOf = (trajectory: Trajectory): number[] => trajectory.steps.map((step) => step.id)
const namesOf = (trajectory: Trajectory): (string | null)[] => trajectory.steps.map((step) => step.name)
const textsOf = (trajectory: Trajectory): string[] =>
  trajectory.steps.flatMap((step) => step.parts.map((part) => part.text))

const says = (message: string, more: object = {}): Record<string, unknown> => atif([{ message }], more)
const asks = (message: string, ...files: string[]): Record<string, unknown> => {
  const refs = files.map((file) => ({ trajectory_path: file }))
  return atif([{ message, observation: { results: [{ content: 'asked', subagent_trajectory_ref: refs }] } }])
}

it('numbers on from the highest id, subagents included', () => {
  const trajectory = read({ segments: [asks('a', 's'), says('b')], subagents: { s: says('of s') } })
  expect(textsOf(trajectory)).toEqual(['a', 'asked', 'of s', 'b'])
  expect(idsOf(trajectory)).toEqual([1, 2, 3])
  expect(namesOf(trajectory)).toEqual([null, 's#1', 'segment-2#1'])
})

it('shows a file once, wherever and how often it is named, and ends in a circle', () => {
  const subagents = { a: asks('of a', 'b', 'a'), b: asks('of b', 'a') }
  const document = { segments: [asks('one', 'a', 'a'), asks('two', 'b')], subagents }
  const trajectory = read(document)
  expect(textsOf(trajectory)).toEqual(['one', 'asked', 'of a', 'asked', 'of b', 'asked', 'two', 'asked'])
  expectPlaces(document, trajectory)
})

it('warns of what is named and not there, and of what is there and not named', () => {
  const trajectory = read({ segments: [asks('one', 'gone')], subagents: { extra: says('x') } })
  expect(pathsOf(trajectory.warnings)).toEqual(
    expect.arrayContaining(['/subagents/extra', '/segments/0/steps/0/observation/results/0/subagent_trajectory_ref/0']),
  )
  expect(textsOf(trajectory)).toEqual(['one', 'asked'])
  const last = read({ segments: [says('a', { continued_trajectory_ref: 'gone.json' })] })
  expect(pathsOf(last.warnings)).toContain('/segments/0/continued_trajectory_ref')
})

it.each([
  ['a segment that is none', { segments: [says('a'), 7] }, '/segments/1'],
  ['a broken step of a segment', { segments: [says('a'), atif([{ message: 7 }])] }, '/segments/1/steps/0/message'],
  ['a segment without steps', { segments: [says('a'), { schema_version: 'ATIF-v1.7' }] }, '/segments/1/steps'],
  [
    'a broken step of a subagent',
    { segments: [asks('a', 'x/y')], subagents: { 'x/y': atif([{ message: 7 }]) } },
    '/subagents/x~1y/steps/0/message',
  ],
])('reads the rest beside %s', (_, document, path) => {
  expect(oddIn(document)).toEqual([path])
})

it('counts the steps of all segments against the one limit', () => {
  const segments = Array.from({ length: 4 }, () => atif([{ message: 'a' }, { message: 'b' }]))
  expect(pathsOf(refuse({ segments }, { max_steps: 7 }))).toContain('/segments/3/steps')
  expect(read({ segments }, { max_steps: 8 }).steps).toHaveLength(8)
})

it('takes a file for a file, whatever it is called', () => {
  const document = JSON.parse(JSON.stringify({ segments: [asks('a', '__proto__')] })) as Record<string, unknown>
  document['subagents'] = JSON.parse(`{"__proto__": ${JSON.stringify(says('odd'))}}`)
  const trajectory = read(document)
  expect(textsOf(trajectory)).toEqual(['a', 'asked', 'odd'])
  expect(textsOf(read({ segments: [asks('a', 'constructor')], subagents: {} }))).toEqual(['a', 'asked'])
})

it('loses no text and no place of any run', () => {
  const file = fc.constantFrom('a', 'b/c', 'd~e', '__proto__', 'trajectory.json')
  const run = fc.tuple(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), fc.array(file, { maxLength: 3 }))
  const made = run.map(([message, files]) => asks(`said ${message}`, ...files))
  fc.assert(
    fc.property(
      fc.array(made, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(file),
      fc.infiniteStream(made),
      (segments, names, runs) => {
        const subagents = Object.fromEntries(names.map((name) => [name, runs.next().value as object]))
        const document = { segments, subagents }
        const trajectory = read(document)
        expectPlaces(document, trajectory)
        expect(new Set(idsOf(trajectory)).size).toBe(trajectory.steps.length)
        expect(idsOf(trajectory)).toEqual(idsOf(trajectory).toSorted((a, b) => a - b))
        const unnamed = trajectory.warnings.filter(({ message }) => message.startsWith('no step refers to')).length
        expect(trajectory.steps).toHaveLength(segments.length + names.length - unnamed)
      },
    ),
  )
})
