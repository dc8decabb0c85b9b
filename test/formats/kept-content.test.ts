import { describe, expect, test } from 'vitest'
import { read } from './make.ts'

/** Texts that stand at a second place of their format, because the usual one is empty: shown once, and never lost. */

const said = (document: unknown): string[] =>
  read(document).steps.flatMap(({ parts }) => parts.map(({ actor, text }) => `${actor}: ${text}`))

describe('openhands', () => {
  const event = (args: object): object => ({ records: [{ id: 1, source: 'agent', action: 'finish', args }] })
  test('shows the outputs of an end', () => {
    expect(said(event({ outputs: { content: 'The last words.' }, thought: '' }))).toEqual([
      'agent_message: The last words.',
    ])
    expect(said(event({ outputs: {}, thought: 'Done.' }))).toEqual(['agent_message: Done.', 'agent_action: finish'])
  })

  test('tells a thought once', () => {
    const event = { id: 1, source: 'agent', action: 'finish', args: { final_thought: 'Done.', thought: 'Done.' } }
    expect(said({ records: [event] })).toEqual(['agent_message: Done.'])
  })
})

describe('gemini-cli', () => {
  const chat = (reply: object): object => ({
    sessionId: 's',
    projectHash: 'p',
    messages: [{ type: 'gemini', id: '2', content: '', ...reply }],
  })
  const call = { id: 'c', name: 'sh', args: { command: 'ls' } }

  test.each<[string, object, string[]]>([
    ['a text', { resultDisplay: 'README' }, ['tool_output: README']],
    ['an object', { resultDisplay: { fileDiff: '+a' } }, ['tool_output: +a']],
    ['a text, beside an empty result', { result: [], resultDisplay: 'README' }, ['tool_output: README']],
    ['not shown beside a result', { result: 'README', resultDisplay: 'pretty' }, ['tool_output: README']],
    [
      'not output of a call that awaits approval',
      { status: 'awaiting_approval', resultDisplay: { fileDiff: '+a' } },
      [],
    ],
  ])('has the display of a result where it is all there is: %s', (_, more, expected) => {
    expect(said(chat({ toolCalls: [{ ...call, ...more }] }))).toEqual(['agent_action: ls', ...expected])
  })

  const words = 'the whole display of the screen stands here, in more than forty units'
  test.each<[string, unknown, readonly string[]]>([
    ['left out beside a result', 'README', ['tool_output: README']],
    ['shown beside an empty text', '', [`tool_output: ${words}`]],
    ['shown beside an empty answer', [{ functionResponse: { response: { output: '' } } }], [`tool_output: ${words}`]],
  ])('has a long display of a result %s', (_, result, expected) => {
    const document = chat({
      toolCalls: [{ ...call, name: 'run_shell_command', result, resultDisplay: { fileDiff: words } }],
    })
    expect(said(document)).toEqual(['agent_action: ls', ...expected])
    expect(read(document)).toMatchObject({ unread: { records: 0, actions: 0 }, warnings: [] })
  })

  test('tells thoughts and calls in the content by what they are', () => {
    const functionCall = { name: 'sh', args: { command: 'make' } }
    expect(said(chat({ content: [{ text: 'hm', thought: true }, { text: 'So.' }, { functionCall }] }))).toEqual([
      'agent_reasoning: hm',
      'agent_message: So.',
      'agent_action: make',
    ])
  })

  test('tells a call once that stands in the content and among the calls', () => {
    const content = [
      { functionCall: { name: call.name, args: call.args } },
      { functionCall: { id: 'c', name: 'sh', args: {} } },
    ]
    expect(said(chat({ content, toolCalls: [call] }))).toEqual(['agent_action: ls'])
  })

  test('lets a user say neither', () => {
    const content = [{ text: 'hm', thought: true }, { functionCall: { name: 'sh', args: { command: 'make' } } }]
    expect(said({ sessionId: 's', projectHash: 'p', messages: [{ type: 'user', id: '1', content }] })).toEqual([
      'user: hm',
      'user: sh',
      'user: make',
    ])
  })
})

describe('codex', () => {
  const head = { type: 'session_meta', payload: { id: '1' } }
  const call = {
    type: 'response_item',
    payload: { type: 'function_call', name: 'exec', arguments: '{"command":"ls"}', call_id: 'c' },
  }
  const end = { type: 'event_msg', payload: { type: 'exec_command_end', call_id: 'c', stdout: 'README' } }
  const output = { type: 'response_item', payload: { type: 'function_call_output', call_id: 'c', output: 'README' } }

  test.each<[string, object[]]>([
    ['by the event alone', [call, end]],
    ['by the item alone', [call, output]],
    ['by both', [call, end, output]],
    ['by both, the other way round', [call, output, end]],
    ['by the event twice', [call, end, end]],
  ])('shows what a command brought once: %s', (_, records) => {
    expect(said({ records: [head, ...records] })).toEqual(['agent_action: ls', 'tool_output: README'])
  })
})

describe('claude-code', () => {
  const record = (uuid: string, ...content: object[]): object => ({
    type: 'assistant',
    sessionId: 's',
    uuid,
    message: { id: 'm', role: 'assistant', content },
  })

  test('shows words that the agent thought before', () => {
    const thinking = { type: 'thinking', thinking: 'Done.' }
    const text = { type: 'text', text: 'Done.' }
    expect(said({ records: [record('1', thinking), record('2', text), record('3', thinking, text)] })).toEqual([
      'agent_reasoning: Done.',
      'agent_message: Done.',
    ])
  })
})

test.each<[string, unknown, object]>([
  ['beside an answer', 'Updated.', { records: 0, actions: 0 }],
  ['beside an empty answer', '', { records: 1, actions: 1 }],
  ['beside an empty block', [{ type: 'text', text: '' }], { records: 1, actions: 1 }],
])('details of OpenClaw for the screen %s', (_, content, unread) => {
  const details = { diff: '- the old line of the file that was read\n+ the new line of it' }
  const call = { type: 'toolCall', id: '1', name: 'exec', arguments: { command: 'make' } }
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Run it.' }] },
    { role: 'assistant', content: [call], stopReason: 'toolUse' },
    { role: 'toolResult', toolCallId: '1', toolName: 'exec', content, isError: false, details },
  ]
  const records = messages.map((message, at) => ({
    type: 'message',
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    message,
  }))
  expect(read({ records: [{ type: 'session', version: 3, id: 's', cwd: '/w' }, ...records] }).unread).toEqual(unread)
})
