import { expect, test } from 'vitest'
import { coverageOf, createRendering, inputStateOf } from '../../src/domain/trajectory/rendering.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import type { Coverage } from '../../src/schemas/grade.ts'
import { readTables } from '../tables.ts'
import { makeTrajectory } from './make.ts'

const LIMITS = { max_steps: 100, max_part_chars: 100_000 }
const stateOf = (output: string, coverage: Partial<Coverage> = {}) => {
  const run = makeTrajectory([[['agent_action', 'ls']], [['tool_output', output]]])
  return inputStateOf(run, { ...coverageOf(createRendering(run, ''), 1), ...coverage })
}

type Marked = readonly [harness: string, output: string]
const TABLES = readTables<{ marks: readonly Marked[]; unmarked: readonly string[] }>('domain/tables/input-state')

test.each(TABLES.marks)('the mark of %s', (_name, output) => {
  expect(stateOf(output)).toMatchObject({ state: 'truncated', truncated_by: ['harness'], compacted: false })
})

test.each(TABLES.unmarked)('%j is no mark', (output) => {
  expect(stateOf(output)).toEqual({
    ...{ state: 'complete', compacted: false, truncated_by: [] },
    missing: { records: 0, media: 0 },
  })
})

test('what the judge was not shown, by its window or as pictures', () => {
  expect(stateOf('x', { elided_chars: 9 })).toMatchObject({ state: 'truncated', truncated_by: ['window'] })
  expect(stateOf('x', { media_parts: 2, media_shown: 1 })).toMatchObject({
    state: 'parts_missing',
    missing: { media: 1 },
  })
})

const claude = (record: object) => ({ type: 'user', sessionId: 's', uuid: Math.random().toString(36), ...record })
const words = (role: string, text: string) =>
  claude({ type: role, message: { role, content: [{ type: 'text', text }] } })
const item = (role: string, type: string, text: string) => {
  const payload = { type: 'message', role, content: [{ type, text }] }
  return { type: 'response_item', payload }
}
const CLAUDE_CODE = [
  words('user', 'Build.'),
  words('assistant', 'I build.'),
  claude({ type: 'system', subtype: 'microcompact_boundary', content: '' }),
  words('assistant', 'Done.'),
]
const CODEX = [
  { type: 'session_meta', payload: { id: 's' } },
  item('user', 'input_text', 'Hi'),
  { type: 'compacted', payload: { message: 'A summary.' } },
  item('assistant', 'output_text', 'Done.'),
]

test.each<[string, readonly object[]]>([
  ['Claude Code', CLAUDE_CODE],
  ['Codex', CODEX],
])('a compaction in the record of %s', (_name, records) => {
  const read = readTrajectory({ records }, LIMITS)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const { value: run } = read
  expect(inputStateOf(run, coverageOf(createRendering(run, ''), 1))).toMatchObject({
    compacted: true,
    state: 'compacted',
  })
})
