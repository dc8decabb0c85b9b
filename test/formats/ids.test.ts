import { describe, expect, test } from 'vitest'
import { read } from './make.ts'

/** What the agent did in a document as a file holds it, in its order, with what the tools answered. */
const told = (document: unknown): string[] =>
  read(JSON.parse(JSON.stringify(document)))
    .steps.flatMap((step) => step.parts)
    .filter(({ actor }) => actor === 'agent_action' || actor === 'tool_output')
    .map(({ actor, text }) => `${actor === 'agent_action' ? 'did' : 'got'} ${text}`)

const event = (payload: object) => ({ timestamp: 't', type: 'event_msg', payload })
const begun = (command: string, call_id?: unknown) => event({ type: 'exec_command_begin', call_id, command })
const answers = ['x', 'y', 'y'].map((stdout) => event({ type: 'exec_command_end', call_id: 'c', stdout }))
const item = (type: string, own: object) => ({ type, item: own })
const command = (id: unknown, words: string) => ({ id, type: 'command_execution', command: words })
const started = { type: 'thread.started', thread_id: 't' }
const acp = (id: unknown, input: unknown) => ({
  kind: 'ACPToolCallEvent',
  title: 'T',
  tool_call_id: id,
  raw_input: input,
})
const assistant = (uuid: string, content: readonly object[]) => ({
  type: 'assistant',
  uuid,
  sessionId: 's',
  requestId: 'r',
  message: { id: 'm', role: 'assistant', content, stop_reason: null },
})
const use = (id: unknown, words: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: words } })
const gemini = (content: readonly object[], toolCalls: readonly object[]) => ({
  sessionId: 's',
  projectHash: 'p',
  messages: [{ id: '1', type: 'gemini', content, toolCalls }],
})
const ranBy = (id: number, callId: unknown, words: string, calls: readonly unknown[]) => ({
  id,
  source: 'agent',
  action: 'run',
  args: { command: words },
  tool_call_metadata: {
    function_name: 'bash',
    tool_call_id: callId,
    model_response: { id: 'r', choices: [{ message: { tool_calls: calls } }] },
  },
})
const SAME = ['c', 'd'].map((own) => ({ id: 'same', function: { name: 'bash', arguments: { own } } }))

describe('calls that share an id, or have none, are all shown', () => {
  test.each<[string, unknown, string[]]>([
    ['codex: events without an id', { records: ['a', 'b'].map((words) => begun(words)) }, ['did a', 'did b']],
    [
      'codex: an event twice, and other events under its id',
      { records: ['a', 'a', 'b', 'a'].map((words) => begun(words, 'c')) },
      ['did a', 'did b', 'did a'],
    ],
    ['codex: two answers under one id', { records: [begun('a', 'c'), ...answers] }, ['did a', 'got x', 'got y']],
    [
      'codex exec: items without an id',
      { records: [started, ...['a', 'b'].map((words) => item('item.completed', command(undefined, words)))] },
      ['did a', 'did b'],
    ],
    [
      'codex exec: a second run in the same file, whose ids begin again',
      {
        records: ['a', 'a'].flatMap((words) => [
          started,
          item('item.started', command('item_1', words)),
          item('item.completed', { ...command('item_1', words), aggregated_output: 'o' }),
        ]),
      },
      ['did a', 'got o', 'did a', 'got o'],
    ],
    [
      'codex exec: an item that ends as another act',
      { records: [started, item('item.started', command('i', 'a')), item('item.completed', command('i', 'b'))] },
      ['did a', 'did b'],
    ],
    [
      'openhands: calls of another agent without an id',
      { records: [acp(undefined, { a: 'x' }), acp(undefined, { a: 'y' }), acp('', { a: 'z' })] },
      ['did x', 'did y', 'did z'],
    ],
    [
      'openhands: a call of another agent that comes first without its words, and again with them',
      { records: [acp('c', null), acp('c', { a: 'x' }), acp('c', { a: 'x' }), acp('c', { a: 'y' })] },
      ['did T', 'did x', 'did y'],
    ],
    [
      'openhands: two calls of one reply under one id',
      { history: ['a', 'b'].map((words, id) => ranBy(id, 'same', words, SAME)) },
      ['did a', 'did b'],
    ],
    [
      'claude-code: other calls under one id, and a repetition',
      { records: [assistant('u1', [use('t', 'a')]), assistant('u2', [use('t', 'a'), use('t', 'b')])] },
      ['did a', 'did b'],
    ],
    [
      'gemini-cli: another call under the id of one',
      gemini(
        [{ functionCall: { id: 'c', name: 'sh', args: { command: 'a' } } }],
        [{ id: 'c', name: 'sh', args: { command: 'b' } }],
      ),
      ['did a', 'did b'],
    ],
  ])('%s', (_name, document, expected) => {
    expect(told(document)).toEqual(expected)
  })
})

/** `String(x)` of it throws, which a property test once found by chance of its seed. */
const ODD = { toString: null }
const ODD_BLOCKS = [ODD, 'text'].map((type) => ({ type, text: 'a' }))

test.each<[string, unknown]>([
  [
    'claude-code: the subtype of a system record',
    { records: [assistant('u', []), { type: 'system', subtype: ODD, content: 'c' }] },
  ],
  ['claude-code: the type of a block', { records: [assistant('u', ODD_BLOCKS)] }],
  ['codex: the id of an event', { records: [begun('a', ODD)] }],
  ['codex exec: the id of an item', { records: [started, item('item.completed', command(ODD, 'a'))] }],
  [
    'gemini-cli: the name of a call',
    gemini([{ functionCall: { name: ODD, args: { a: 'b' } } }], [{ name: ODD, args: {} }]),
  ],
  [
    'openhands: the ids of its events',
    {
      history: [
        { id: ODD, source: 'agent', action: 'run', args: { command: 'a' } },
        { source: 'agent', observation: 'run', cause: ODD, content: 'c', extras: {} },
      ],
    },
  ],
  [
    'openhands sdk: the ids of its events',
    {
      records: [
        { kind: 'ActionEvent', id: ODD, tool_call_id: ODD, tool_name: 'x', action: { a: 'b' } },
        { kind: 'ObservationEvent', action_id: ODD, observation: 'o' },
        acp(ODD, { a: 'b' }),
      ],
    },
  ],
  [
    'openai-chat: the type of an item',
    { messages: [{ role: 'user', content: 'u' }, { output: [{ type: ODD, a: 'b' }] }] },
  ],
])('an object without a toString is no text: %s', (_name, document) => {
  expect(read(document).steps.length).toBeGreaterThan(0)
})

test('a reply’s second reasoning is shown, where a gateway gives every reply one id', () => {
  const reply = (id: number, reasoning: string) => {
    const event = ranBy(id, 'c', 'a', [])
    const message = { reasoning_content: reasoning, tool_calls: [] }
    return {
      ...event,
      tool_call_metadata: { ...event.tool_call_metadata, model_response: { id: 'r', choices: [{ message }] } },
    }
  }
  const parts = read({ history: [reply(1, 'one'), reply(2, 'two'), reply(3, 'two')] }).steps.flatMap(
    (step) => step.parts,
  )
  expect(parts.flatMap(({ actor, text }) => (actor === 'agent_reasoning' ? [text] : []))).toEqual(['one', 'two'])
})

test('a long name with many values below it stands in no path of theirs', () => {
  const long = 'n'.repeat(10_000)
  const args = { [long]: Array.from({ length: 1000 }, (_, index) => `v${index}`), short: 'kept' }
  const call = { tool_call_id: 'c', function_name: 'f', arguments: args }
  const { steps } = read({
    schema_version: 'ATIF-v1.7',
    agent: { name: 'a' },
    steps: [{ step_id: 1, source: 'agent', message: '', tool_calls: [call] }],
  })
  const parts = steps.flatMap((step) => step.parts)
  expect(parts.map(({ text }) => text)).toEqual([JSON.stringify(args[long]), 'kept'])
})

test('a file of a run with a name that no file has is unread', () => {
  const name = 'n'.repeat(1001)
  const run = {
    schema_version: 'ATIF-v1.7',
    agent: { name: 'a' },
    steps: [{ step_id: 1, source: 'user', message: 'm' }],
  }
  const { unread, warnings } = read({ segments: [run], subagents: { [name]: run } })
  expect(unread.actions).toBe(1)
  expect(warnings).toContainEqual({ path: '/subagents', message: 'a file name of 1001 characters; not read' })
})
