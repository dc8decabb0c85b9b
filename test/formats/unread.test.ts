import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { atif, LIMITS, read } from './make.ts'

type Row = Readonly<Record<string, unknown>>

const item = (payload: Row): Row => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload })
const event = (payload: Row): Row => ({ timestamp: '2026-01-01T00:00:00Z', type: 'event_msg', payload })
const codex = (...rows: Row[]) => ({
  records: [item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }), ...rows],
})
const said = { type: 'text', text: 'Done.' }
const claude = (...rows: Row[]) => ({
  records: [{ type: 'user', sessionId: 's', message: { role: 'user', content: 'Go.' } }, ...rows],
})
const reply = (...content: Row[]) => ({ type: 'assistant', sessionId: 's', message: { id: 'm', content } })
const chat = (...messages: Row[]) => ({ messages: [{ role: 'user', content: 'Go.' }, ...messages] })
const openHands = (more: Row) => ({
  records: [
    { id: 1, source: 'user', action: 'message', args: { content: 'Go.' } },
    { id: 2, source: 'agent', ...more },
  ],
})
const call = { id: 'c', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }
const ref = { results: [{ content: 'x', subagent_trajectory_ref: [{ trajectory_path: 'other.json' }] }] }
const cut = { _corpus_truncated: true, preview: '[{"function_name":"bash"' }

const contents = (odd: unknown) => ({ contents: [{ role: 'user', parts: [{ text: 'Go.' }] }, odd] })
const act = { tool_call_id: 'c', function_name: 'bash', arguments: { command: 'ls' } }

const RUNS: readonly (readonly [name: string, document: object, records: number, actions: number])[] = [
  ['a whole run', atif([{ message: 'x' }]), 0, 0],
  ['an unknown field', atif([{ message: 'x', mood: 'fine' }]), 0, 0],
  ['reasoning that is encrypted', codex(item({ type: 'reasoning', summary: [], encrypted_content: 'x' })), 0, 0],
  ['a kind of item', codex(item({ type: 'mood', text: 'fine' })), 1, 0],
  ['a kind of item that is called like a call', codex(item({ type: 'unifiedExec' })), 1, 1],
  ['one with a command in it', codex(item({ type: 'thing', data: { command: ['ls'] } }), item({ type: 'mood' })), 2, 1],
  ['keys typed with no call', codex(...Array(3).fill(event({ type: 'terminal_interaction', call_id: 'z' }))), 3, 3],
  ['a record of Claude Code', claude(reply(said), { type: 'mood', sessionId: 's' }), 1, 0],
  ['a block that is shown as if it were said', claude(reply({ type: 'computer_use', input: { keys: 'x' } })), 1, 1],
  ['a block that only speaks', claude(reply({ type: 'poem', lines: ['x'] })), 0, 0],
  ['calls of a message that is not the agent’s', chat({ role: 'user', content: 'x', tool_calls: [call] }), 1, 1],
  ['code in the words of an agent by name', chat({ role: 'Coder', content: '```sh\nls\n```' }), 1, 1],
  [
    'calls of an agent by name',
    chat({ role: 'Coder', content: [{ type: 'tool_use', name: 'bash', input: {} }] }),
    0,
    0,
  ],
  ['calls under another name', chat({ role: 'assistant', content: 'x', toolCalls: [call] }), 1, 1],
  [
    'a call that stands as a record',
    chat({ type: 'shell_call', action: { commands: ['ls'] } }, { role: 'assistant', content: 'x' }),
    1,
    1,
  ],
  ['a call as JSON text', contents({ role: 'model', parts: '[{"functionCall": {"name": "bash"}}]' }), 1, 1],
  ['a record as JSON text', contents('{"toolCalls": [{"name": "bash"}]}'), 1, 1],
  ['another JSON text', contents('{"mood": "fine"}'), 1, 1],
  ['an event of OpenHands', openHands({ observation: 7 }), 1, 0],
  ['an event of its SDK', openHands({ kind: 'BrowserActionEvent' }), 1, 1],
  ['a step of calls under another name', atif([{ message: 'x', actions: [{ name: 'bash' }] }]), 1, 1],
  ['a subagent in another file', atif([{ message: 'x', observation: ref }]), 1, 1],
  ['a run that goes on elsewhere', atif([{ message: 'x' }], { continued_trajectory_ref: 'two.json' }), 1, 1],
  ['calls that a corpus cut', atif([{ message: 'x', tool_calls: cut }]), 1, 1],
  ['an output that a corpus cut', atif([{ tool_calls: [act], observation: cut }]), 1, 0],
  ['outputs of a run without any call', atif([{ message: 'ls', observation: { results: [{ content: 'a' }] } }]), 1, 1],
]

/** Documents of formats whose marks stand in each record, by the list with two sound records; `form`: the document around the list. */
const OF_RECORDS: Readonly<
  Record<string, readonly [list: readonly Row[], form: (list: readonly unknown[]) => object]>
> = {
  'opencode, an export': [
    [
      { info: { id: 'u', role: 'user' }, parts: [said] },
      { info: { id: 'a', role: 'assistant' }, parts: [said] },
    ],
    (messages) => ({ info: { id: 's' }, messages }),
  ],
  'opencode, a stream': [
    [
      { type: 'step_start', sessionID: 's', part: { type: 'step-start' } },
      { type: 'text', sessionID: 's', part: said },
    ],
    (records) => ({ records }),
  ],
  cline: [
    [
      {
        role: 'user',
        content: [{ type: 'text', text: '<task>Go.</task><environment_details>x</environment_details>' }],
      },
      { role: 'assistant', content: [said] },
    ],
    (records) => ({ records }),
  ],
  'grok-cli': [
    [
      { type: 'user', content: 'Go.' },
      { type: 'assistant', model_id: 'm', content: 'Done.' },
    ],
    (records) => ({ records }),
  ],
  'session-messages': [
    [
      { role: 'user', message: { content: 'Go.' } },
      { role: 'assistant', message: { content: 'Done.' } },
    ],
    (records) => ({ records }),
  ],
}

describe.each(Object.entries(OF_RECORDS))('a broken record among sound ones of %s', (name, [list, form]) => {
  test.each([null, 7, {}, { info: 7, parts: null, type: 7 }])('is unread at its place: %j', (broken) => {
    const whole = read(form(list))
    const odd = read(form([list[0], broken, list[1]]))
    expect(odd.format).toBe(name.split(',')[0])
    expect(odd.steps.flatMap(({ parts }) => parts.map(({ text }) => text))).toEqual(
      whole.steps.flatMap(({ parts }) => parts.map(({ text }) => text)),
    )
    expect(odd.unread.records).toBe(whole.unread.records + 1)
    expect(odd.warnings.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^\/(?:records|messages)\/1/u))
  })
})

describe('what could not be read is counted', () => {
  test.each(RUNS)('%s', (_name, document, records, actions) => {
    expect(read(document).unread).toEqual({ records, actions })
  })

  test('but not where another file of the run has it', () => {
    const first = atif([{ message: 'x', observation: ref }], { continued_trajectory_ref: 'two.json' })
    const whole = { segments: [first, atif([{ message: 'y' }])], subagents: { 'other.json': atif([{ message: 'z' }]) } }
    expect(read(whole).unread).toEqual({ records: 0, actions: 0 })
    expect(read({ segments: [first, first] }).unread).toEqual({ records: 3, actions: 3 })
  })

  test('beyond the warnings that are kept', () => {
    expect(read(codex(...Array(500).fill(item({ type: 'mood' })))).unread).toEqual({ records: 500, actions: 0 })
  })

  test('in bounded time, and what is too large to be looked at may hold an act', () => {
    const deep = Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => Array(10).fill(0)))
    expect(read(codex(item({ type: 'mood', deep }))).unread).toEqual({ records: 1, actions: 1 })
  })
})

test('a member that JSON writes as an object without a text form is no reason to lose a document', () => {
  const odd = { toString: 'x', valueOf: null }
  const documents = [
    {
      records: [{ type: 'session_start' }, { type: 'message', message: { role: 'user', content: 'x' } }, { type: odd }],
    },
    {
      history: [
        { role: 'assistant', name: odd, content: 'x' },
        { role: 'user', name: 'a', content: 'y' },
      ],
    },
    {
      observations: [{ id: 'a', traceId: 't', type: odd, startTime: '2026-01-01T00:00:00Z', input: 'x', output: 'y' }],
    },
  ]
  for (const document of documents) expect(() => readTrajectory(document, LIMITS)).not.toThrow()
})

test.each([
  ['a difference for the screen', { diff: '- the old line of the file\n+ the new line of the same file' }, 0],
  ['a difference that holds calls', { diff: { steps: [{ command: 'rm' }] } }, 1],
  [
    'the messages of a subagent',
    { results: [{ messages: [{ type: 'toolCall', arguments: { command: 'rm -rf the whole folder now' } }] }] },
    1,
  ],
])('OpenClaw: details of a result that are %s', (_, details, actions) => {
  const message = (id: string, parentId: string | null, inner: Row): Row => ({
    type: 'message',
    id,
    parentId,
    message: inner,
  })
  const call = { type: 'toolCall', id: 'c', name: 'edit', arguments: { path: 'a' } }
  const run = read({
    records: [
      { type: 'session', id: 's', cwd: '/' },
      message('a', 's', { role: 'assistant', content: [call] }),
      message('b', 'a', { role: 'toolResult', toolCallId: 'c', content: [{ type: 'text', text: 'done' }], details }),
    ],
  })
  expect(run.unread.actions).toBe(actions)
  expect(run.unread.records).toBe(actions)
})

test('OpenClaw: a picture beside details for the screen repeats none of them', () => {
  const aggregated = 'the whole output of the command, as people saw it'
  const result = (content: Row): Row => ({
    role: 'toolResult',
    toolCallId: 'c',
    content: [content],
    details: { aggregated },
  })
  const unreadOf = (content: Row): number =>
    read({
      records: [
        { type: 'session', id: 's', cwd: '/' },
        {
          type: 'message',
          id: 'a',
          message: { role: 'assistant', content: [{ type: 'toolCall', id: 'c', name: 'exec' }] },
        },
        { type: 'message', id: 'b', message: result(content) },
      ],
    }).unread.records
  expect(unreadOf({ type: 'text', text: 'done' })).toBe(0)
  expect(unreadOf({ type: 'image', data: 'AAAA', mimeType: 'image/png' })).toBe(1)
})

test.each([
  ['in a member that is called an id', { tool_use_id: 't' }, 0],
  ['in a text alone', { note: 't' }, 1],
])('a record that is left out and holds an act names a shown call %s', (_, named, actions) => {
  const asked = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }
  const input = { command: 'make release' }
  const records = [
    { type: 'user', sessionId: 's', uuid: 'a', message: { role: 'user', content: 'Go.' } },
    { type: 'assistant', sessionId: 's', uuid: 'b', message: { role: 'assistant', content: [asked] } },
    { type: 'control_request', session_id: 's', request: { subtype: 'can_use_tool', input, ...named } },
  ]
  expect(read({ records }).unread.actions).toBe(actions)
})
