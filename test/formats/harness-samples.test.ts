import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { readTables } from '../tables.ts'
import { holds, oddIn, pathsOf, read, sample } from './make.ts'
import { told } from './told.ts'

/** Readers of Cline and Roo Code, Docent, OpenClaw and OpenCode, by samples that the fuzzer begins with: written after the published shapes. */

interface Sample {
  readonly seed: string
  /** The steps that a sample is read as. */
  readonly told: readonly (readonly string[])[]
  /** `role outcome` of each act. */
  readonly acts: readonly string[]
  /** Places of the warnings. */
  readonly warned?: readonly string[]
  readonly unread?: { readonly records: number; readonly actions: number }
  readonly agent: Trajectory['agent']
  readonly pictures?: number
}

const SAMPLES = readTables<Readonly<Record<string, Sample>>>('formats/tables/samples')

describe('a sample is read: ', () => {
  test.each(Object.entries(SAMPLES))(
    '%s',
    (_, { seed, agent, acts, warned = [], unread, pictures = 0, ...expected }) => {
      const [format = '', name = ''] = seed.split('/')
      const trajectory = holds(sample(format, name))
      const parts = trajectory.steps.flatMap((step) => step.parts)
      expect(told(trajectory)).toEqual(expected.told)
      expect(parts.flatMap(({ act }) => (act === null ? [] : [`${act.role} ${act.call.outcome}`]))).toEqual(acts)
      expect(pathsOf(trajectory.warnings)).toEqual(warned)
      expect(trajectory).toMatchObject({ format, agent, unread: unread ?? { records: 0, actions: 0 } })
      expect(parts.filter(({ picture }) => picture !== undefined)).toHaveLength(pictures)
    },
  )

  test.each([
    ['pending', '18465d71', 'unknown cancelled'],
    ['running', '93606312', 'executes interrupted'],
    ['rejected', '363d74af', 'executes rejected'],
    ['forbidden', 'd98e9a14', 'executes rejected'],
    ['aborted', '954d0707', 'executes interrupted'],
    ['failed', '85cb27d6', 'executes failed'],
    ['ended with a code', '722a6726', 'executes failed'],
  ])('a call of opencode that is %s', (_, seed, expected) => {
    const acts = holds(sample('opencode', seed)).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act ?? []))
    expect(acts.map(({ role, call }) => `${role} ${call.outcome}`)).toEqual([expected])
  })
})

test('transcripts of docent are named, and each is a conversation of its own', () => {
  const { steps } = holds(sample('docent', '923e0b4f'))
  expect(steps.map(({ id, name, agent, conversation }) => [id, name, agent, conversation])).toEqual([
    [1, 'transcript 1#1', undefined, '/transcripts/0'],
    [2, 'transcript 1#2', undefined, '/transcripts/0'],
    [3, 'transcript 1#3', 'transcript 1', '/transcripts/0'],
    [4, 'helpers#1', 'helpers', '/transcripts/1'],
  ])
})

test.each([
  ['docent/dd23e565', '"content":"Be good."', '"content":5', '/transcripts/0/messages/0/content'],
  ['opencode/85cb27d6', '"text":"Go."', '"text":1', '/messages/0/parts/0/text'],
])('an odd value in %s is unread at its place', (seed, from, to, path) => {
  const [format = '', name = ''] = seed.split('/')
  const text = JSON.stringify(sample(format, name))
  expect(text).toContain(from)
  expect(oddIn(JSON.parse(text.replace(from, to)))).toEqual([path])
})

test('a chat without the marks of Cline is none of Cline', () => {
  const records = [
    { role: 'user', content: '<task>Go.</task>' },
    { role: 'assistant', content: 'Yes.' },
  ]
  expect(read({ records }).format).toBe('openai-chat')
})
