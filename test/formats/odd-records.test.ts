import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { readTables } from '../tables.ts'
import { read, refuse } from './make.ts'

const TABLES =
  readTables<Record<'records' | 'acts', [format: string, document: object, path: string][]>>('formats/tables/odd')

const ODD = { oddly: 'shaped' }
const CALL_TEXT = '\n {"command": "rm -r the whole folder of the project, please"}'

describe('an odd record beside sound ones is unread at its place, and the document is read', () => {
  test.each(TABLES.records)('%s', (format, document, path) => {
    const trajectory = read(document)
    expect(trajectory.format).toBe(format)
    expect(trajectory.steps.length).toBeGreaterThan(0)
    expect(trajectory.unread.records).toBe(1)
    expect(trajectory.warnings.map((warning) => warning.path)).toContain(path)
  })
})

describe('an odd answer, call, run or block beside sound ones is an unread act at its place, and the document is read', () => {
  test.each(TABLES.acts)('%s', (format, document, path) => {
    const trajectory = read(document)
    expect(trajectory.format).toBe(format)
    expect(trajectory.steps.length).toBeGreaterThan(0)
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
    expect(trajectory.warnings.map((warning) => warning.path)).toContain(path)
  })

  test('an answer of Gemini that ended without a content is no unread record', () => {
    const candidates = [{ finishReason: 'SAFETY', index: 0 }]
    const { unread } = read({ contents: [{ role: 'user', parts: [{ text: 'Go.' }] }], candidates })
    expect(unread).toEqual({ records: 0, actions: 0 })
  })
})

test.each(['messages', 'records', 'contents'])('an empty list is named: %s', (name) => {
  expect(refuse({ [name]: [] })[0]?.message).toMatch(`No run stands in the empty list "${name}".`)
})

test('one odd part of a Gemini content hides no call', () => {
  const parts = [{ functionCall: { name: 'bash', args: { command: 'ls' } } }, { type: 'novel', words: 'Hm.' }]
  const { steps, warnings } = read({
    contents: [
      { role: 'user', parts: [{ text: 'Go.' }] },
      { role: 'model', parts },
    ],
  })
  expect(steps.flatMap((step) => step.parts.map(({ actor, text }) => `${actor}: ${text}`))).toEqual([
    ...['user: Go.', 'agent_action: ls', 'agent_message: Hm.'],
  ])
  expect(warnings.map(({ path }) => path)).toContain('/contents/1/parts/1')
})

test('an odd row beside runs is refused alone', () => {
  const chat = { messages: [{ role: 'user', content: 'Go.' }] }
  const opened = openDocuments(JSON.stringify([chat, ODD, chat]))
  expect(opened.ok && opened.value.map(({ document }) => document)).toEqual([chat, { records: [ODD] }, chat])
  expect(refuse({ records: [ODD] })).toHaveLength(1)
})

test('an odd command of a terminus reply leaves the others their acts', () => {
  const reply = (...commands: unknown[]) => JSON.stringify({ analysis: 'See.', commands })
  const steps = read({
    messages: [
      { role: 'user', content: 'Go. Answer with "keystrokes".' },
      { role: 'assistant', content: reply({ keystrokes: 'make x\n' }, 'ls', { keystrokes: 'pwd\n' }) },
      { role: 'user', content: 'Current terminal state:\n$' },
    ],
  }).steps
  const acts = steps.flatMap(({ parts }) => parts).filter(({ actor }) => actor === 'agent_action')
  expect(acts.map(({ text, act }) => [text, act?.language ?? act?.role])).toEqual([
    ['make x\n', 'keystrokes'],
    ['ls', 'unknown'],
    ['pwd\n', 'keystrokes'],
  ])
})

const atifOf = (content: unknown) => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'x', version: '1' },
  steps: [
    { step_id: 1, source: 'user', message: 'Go.' },
    { step_id: 2, source: 'agent', message: 'Done.', observation: { results: [{ content }] } },
  ],
})
test.each<[string, unknown]>([
  ['a content block', [{ type: 'tool_call', name: 'bash', input: { command: 'rm x' } }]],
  ['a text of JSON behind blanks, in a member that no reader knows', [{ type: 'text', text: 'a', more: CALL_TEXT }]],
])('an unread call is an unread act: %s', (_, content) => {
  expect(read(atifOf(content)).unread.actions - read(atifOf('a')).unread.actions).toBe(1)
})

const chatOf = (call: object, beside: object = {}) => ({
  messages: [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', ...call }], ...beside },
    { role: 'tool', tool_call_id: 'c1', content: 'ok' },
  ],
})
const BASH = { type: 'function', function: { name: 'bash', arguments: '{"command":"make x"}' } }
test.each<[string, object]>([
  ['arguments in another member of the call', chatOf({ name: 'bash', kwargs: { command: 'make x-7f' } })],
  ['further arguments beside those of the call', chatOf({ ...BASH, parameters: { command: 'make x-7f' } })],
  [
    'a block of a call in an unknown member',
    chatOf(BASH, { extra_blocks: [{ type: 'tool_use', input: 'make x-7f' }] }),
  ],
  [
    'a message of a command alone',
    { messages: [...chatOf(BASH).messages, { role: 'assistant', content: null, command: 'make x-7f' }] },
  ],
  ['a call by an odd word', chatOf(BASH, { novel: { op: 'shell', argv: ['make', 'x 7f'] } })],
  ['arguments in an unknown member', chatOf(BASH, { novel: { tool_input: { command: 'make x-7f' } } })],
])('a short call that no reader knows is an unread act: %s', (_, document) => {
  expect(read(document).unread.actions).toBeGreaterThan(0)
})

test.each<[string, object]>([
  ['the arguments of the call again', chatOf({ ...BASH, parsed: { arguments: { command: 'make x' } } })],
  ['the call again, as text', chatOf(BASH, { raw: { call: JSON.stringify(BASH) } })],
  ['definitions of tools', chatOf(BASH, { config: { tools: [{ name: 'bash', parameters: 'a shell to use' }] } })],
])('a copy of what is shown is no unread act: %s', (_, document) => {
  expect(read(document).unread).toEqual({ records: 0, actions: 0 })
})

test('a result of version 4 of the AI SDK in another state is read', () => {
  const call = { state: 'finished', toolCallId: 'c', toolName: 'bash', args: { command: 'ls' }, result: 'README' }
  const { format, steps } = read({ messages: [{ role: 'assistant', content: '', toolInvocations: [call] }] })
  expect([format, ...steps.flatMap(({ parts }) => parts.map(({ text }) => text))]).toEqual([
    'vercel-ui',
    'ls',
    'README',
  ])
})
