import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { read, refuse } from './make.ts'

const START = '2026-01-01T00:00:00Z'
const observation = { id: 'o', traceId: 't', type: 'GENERATION', startTime: START, input: 'Go.', output: 'Done.' }
const span = {
  ...{ context: { trace_id: 't', span_id: 's' }, name: 'chat', start_time: START },
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.prompt.0.content': 'Go.',
    'gen_ai.completion.0.content': 'Done.',
  },
}
const run = {
  id: 'r',
  trace_id: 'r',
  run_type: 'llm',
  start_time: START,
  inputs: { messages: [{ role: 'user', content: 'Go.' }] },
  outputs: { role: 'assistant', content: 'Done.' },
}
const ODD = { oddly: 'shaped' }
const CALL_TEXT = '\n {"command": "rm -r the whole folder of the project, please"}'

describe('an odd record beside sound ones is unread at its place, and the document is read', () => {
  test.each<[string, object, string]>([
    ['gemini-contents', { contents: [{ role: 'user', parts: [{ text: 'Go.' }] }, ODD] }, '/contents/1'],
    [
      'gemini-contents',
      { request: { contents: [ODD, { role: 'user', parts: [{ text: 'Go.' }] }] } },
      '/request/contents/0',
    ],
    ['gemini-contents', { records: [{ role: 'model', parts: [{ text: 'Done.' }] }, ODD] }, '/records/1'],
    ['openai-chat', { records: [{ messages: [{ role: 'user', content: 'Go.' }] }, ODD] }, '/records/1'],
    [
      'langfuse',
      { observations: [{ ...observation, input: [{ role: 'user', content: 'Go.' }, ODD] }] },
      '/observations/0/input/1',
    ],
    [
      'langsmith',
      { runs: [{ ...run, inputs: { messages: [...run.inputs.messages, ODD] } }] },
      '/runs/0/inputs/messages/1',
    ],
    [
      'langsmith',
      {
        ...run,
        run_type: 'chain',
        outputs: { messages: [{ role: 'user', content: 'Go.' }, { role: 'assistant', content: 'Done.' }, ODD] },
      },
      '/outputs/messages/2',
    ],
    ['langfuse', { observations: [ODD, observation] }, '/observations/0'],
    ['langfuse', { records: [observation, ODD] }, '/records/1'],
    ['otlp', { data: [span, ODD] }, '/data/1'],
    ['langsmith', { runs: [run, ODD] }, '/runs/1'],
    ['docent', { transcripts: [{ messages: [{ role: 'user', content: 'Go.' }] }, ODD] }, '/transcripts/1'],
    ['vercel-ui', { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go.' }] }, ODD] }, '/messages/1'],
    ['langchain', { messages: [{ type: 'human', content: 'Go.' }, ODD] }, '/messages/1'],
    [
      'openai-responses',
      { object: 'response', output: [{ type: 'custom_tool_call', call_id: 'c', name: 'x', input: 'y' }, ODD] },
      '/output/1',
    ],
    ['openai-responses', { input: [{ type: 'local_shell_call', call_id: 'c', action: {} }, ODD] }, '/input/1'],
    [
      'verifiers',
      { prompt: [{ role: 'user', content: 'Go.' }, ODD], completion: 'Done.', reward: 1, metrics: {} },
      '/prompt/1',
    ],
    [
      'session-messages',
      { records: [{ type: 'session_start' }, { type: 'message', message: { role: 'user', content: 'Go.' } }, ODD] },
      '/records/2',
    ],
    [
      'cline',
      {
        records: [
          { role: 'user', content: '<task>Go.</task>\n<environment_details>none</environment_details>' },
          { role: 'critic', content: 'Bad.' },
        ],
      },
      '/records/1',
    ],
  ])('%s', (format, document, path) => {
    const trajectory = read(document)
    expect(trajectory.format).toBe(format)
    expect(trajectory.steps.length).toBeGreaterThan(0)
    expect(trajectory.unread.records).toBe(1)
    expect(trajectory.warnings.map((warning) => warning.path)).toContain(path)
  })
})

const go = { role: 'user', content: 'Go.' }
const DONE = { type: 'text', text: 'Done.' }
const answered = (output: unknown) => ({ observations: [{ ...observation, input: [go], output }] })

describe('an odd answer, call, run or block beside sound ones is an unread act at its place, and the document is read', () => {
  test.each<[string, object, string]>([
    [
      'langfuse',
      answered({ choices: [{ message: { ...go, role: 'assistant' } }, ODD] }),
      '/observations/0/output/choices/1',
    ],
    ['langfuse', answered({ choices: [5] }), '/observations/0/output/choices/0'],
    [
      'langfuse',
      answered([{ role: 'assistant', content: [DONE, { type: 'text' }] }]),
      '/observations/0/output/0/content/1/text',
    ],
    ['gemini-contents', { contents: [{ role: 'user', parts: [{ text: 'Go.' }] }], candidates: [ODD] }, '/candidates/0'],
    ['gemini-contents', { contents: [{ role: 'user', parts: [{ text: 'Go.' }, 5] }] }, '/contents/0/parts/1'],
    ['langsmith', { ...run, child_runs: ['r2'] }, '/child_runs/0'],
    [
      'langsmith',
      { runs: [{ ...run, inputs: { messages: [{ role: 'user', content: ['Go.', null] }] } }] },
      '/runs/0/inputs/messages/0/content/1',
    ],
    ['langchain', { messages: [{ type: 'human', content: ['Go.', 5] }] }, '/messages/0/content/1'],
    ['openai-chat', { messages: [go, { content: 'make x' }] }, '/messages/1/role'],
    [
      'openai-chat',
      { messages: [go, { role: 'assistant', content: null, tool_calls: [{ id: 'c', payload: { cmd: 'ls' } }] }] },
      '/messages/1/tool_calls/0/name',
    ],
    [
      'langfuse',
      { observations: [observation, { ...observation, type: 'SPAN', input: { command: 'make x' } }] },
      '/observations/1',
    ],
    [
      'otlp',
      { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, spanId: 's', traceId: 't' }, { name: 'bash' }] }] }] },
      '/resourceSpans/0/scopeSpans/0/spans/1',
    ],
  ])('%s', (format, document, path) => {
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
