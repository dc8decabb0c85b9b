import { describe, expect, test } from 'vitest'
import { claudeCode } from '../harness-logs/claude-code.ts'
import { openhandsSdk } from '../harness-logs/openhands.ts'
import type { Harness } from '../harness-logs/turn.ts'
import { atif, read, textAt } from './make.ts'

/** Design rule 3: the agent's own narration never proves an action. Nothing that it only says may become an act of it. */

const SECRET = 'rotate-key omega-99182'

/** `actor: text` of every part that holds the secret. */
const tellers = (document: unknown): string[] =>
  read(document).steps.flatMap(({ parts }) =>
    parts.filter(({ text }) => text.includes(SECRET)).map(({ actor }) => actor),
  )

const rollout = (item: object): object => ({
  records: [
    { type: 'session_meta', payload: { id: '1' } },
    { type: 'response_item', payload: item },
  ],
})
const openHands = (action: string, args: object, more: object = {}): object => ({
  records: [{ id: 1, source: 'agent', action, args, ...more }],
})
/** A document of one call. */
const called = (harness: Harness, name: string, args: object): object =>
  harness.document('Fix it.', [{ tool: { name, args: args as Record<string, unknown> }, answer: null }])
const answered = (answer: object, ...before: object[]): object => ({
  messages: [...before, { role: 'user', content: 'Fix it.' }, { role: 'assistant', ...answer }],
})
const chat = (name: string, args: unknown): object =>
  answered({ content: null, tool_calls: [{ id: 'a', function: { name, arguments: args } }] })
const blocks = (name: string, input: object): object =>
  answered({ content: [{ type: 'tool_use', id: 'a', name, input }] })
const replied = (name: string, args: object): object => {
  const tool_calls = [{ id: 'c', function: { name, arguments: JSON.stringify(args) } }]
  const model_response = { id: 'r', choices: [{ message: { content: '', tool_calls } }] }
  return { tool_call_metadata: { tool_call_id: 'c', function_name: name, model_response } }
}
const step = (name: string, args: unknown): object =>
  atif([{ tool_calls: [{ tool_call_id: 'c', function_name: name, arguments: args }] }])
const inText = (prompt: string, content: string): object => answered({ content }, { role: 'system', content: prompt })
const HERMES = 'Tools: <tools>[]</tools>'
const FUNCTIONS = 'Call as <function=name>.'

describe('a plan or a thought in a tool call is reasoning', () => {
  test.each<[string, object]>([
    ['codex, a free text', rollout({ type: 'custom_tool_call', name: 'update_plan', call_id: 'c', input: SECRET })],
    [
      'codex exec, todo_list',
      {
        records: [
          { type: 'thread.started', thread_id: '1' },
          { type: 'item.completed', item: { id: '0', type: 'todo_list', items: [{ text: SECRET }] } },
        ],
      },
    ],
    [
      'openhands, think as it was called',
      openHands('think', { thought: SECRET }, replied('think', { thought: SECRET })),
    ],
    [
      'openhands, task_tracking as it was called',
      openHands(
        'task_tracking',
        { command: 'plan', task_list: [], thought: '' },
        replied('task_tracker', { task_list: [{ title: SECRET }] }),
      ),
    ],
    ['openhands sdk, think', called(openhandsSdk, 'think', { thought: SECRET })],
    ['atif, TodoWrite', step('TodoWrite', { todos: [{ content: SECRET }] })],
    ['atif, JSON in a string', step('think', `{"thought":"${SECRET}"}`)],
    ['atif, a free text', step('think', SECRET)],
    ['a chat, think', chat('think', `{"thought":"${SECRET}"}`)],
    ['a chat, an object', chat('todo_write', { todos: [SECRET] })],
    ['a chat, a free text', chat('think', SECRET)],
    ['a chat, a block', blocks('TodoWrite', { todos: [SECRET] })],
    ['a chat, in words', inText(FUNCTIONS, `<function=think>\n<parameter=thought>${SECRET}</parameter>\n</function>`)],
    [
      'a chat, in JSON',
      inText(HERMES, `<tool_call>\n{"name": "think", "arguments": {"thought": "${SECRET}"}}\n</tool_call>`),
    ],
  ])('%s', (_, document) => {
    expect(tellers(document)).toEqual(['agent_reasoning'])
  })
})

describe('what is said to people in a tool call is speech', () => {
  test.each<[string, object]>([
    [
      'openhands, finish as it was called',
      openHands('finish', { final_thought: SECRET, thought: '' }, replied('finish', { message: SECRET })),
    ],
    ['openhands sdk, finish', called(openhandsSdk, 'finish', { message: SECRET })],
    ['atif, finish', step('finish', { message: SECRET })],
    ['a chat, attempt_completion', chat('attempt_completion', { result: SECRET })],
    ['a chat, submit', chat('submit', `{"answer":"${SECRET}"}`)],
  ])('%s', (_, document) => {
    expect(tellers(document)).toEqual(['agent_message'])
  })
})

describe('what is done in a tool call stays an act', () => {
  test.each<[string, object]>([
    ['Bash', called(claudeCode, 'Bash', { command: SECRET })],
    ['a tool of a server', called(claudeCode, 'mcp__x__think', { thought: SECRET })],
    [
      'a call of another agent, by its kind or title',
      {
        records: [
          { kind: 'ACPToolCallEvent', id: '1', tool_call_id: 'c', tool_kind: 'think', raw_input: { prompt: SECRET } },
        ],
      },
    ],
    [
      'a call in JSON that names itself late',
      inText(HERMES, `<tool_call>{"arguments": {"name": "think", "c": "${SECRET}"}, "name": "bash"}</tool_call>`),
    ],
    ['a call in JSON that is broken', inText(HERMES, `<tool_call>{"name": "think", "c": "${SECRET}"</tool_call>`)],
    ['another case', chat('THINK', { thought: SECRET })],
    ['the name of a member of every object', chat('constructor', { a: SECRET })],
    ['a call in words', inText(FUNCTIONS, `<function=bash>\n<parameter=command>${SECRET}</parameter>\n</function>`)],
  ])('%s', (_, document) => {
    expect(tellers(document)).toEqual(['agent_action'])
  })

  test.each<[string, object]>([
    ['claude-code', called(claudeCode, 'ExitPlanMode', {})],
    ['atif', step('finish', {})],
    ['a chat', chat('finish', '{}')],
    ['openhands', openHands('finish', {})],
    ['a chat in words', inText(FUNCTIONS, '<function=finish>\n</function>')],
    ['a chat in JSON', inText(HERMES, '<tool_call>{"name": "finish", "arguments": {}}</tool_call>')],
  ])('of nothing but its name: %s', (_, document) => {
    expect(
      read(document)
        .steps.at(-1)
        ?.parts.map(({ actor }) => actor),
    ).toEqual(['agent_action'])
  })
})

describe('a mark in prose is no call', () => {
  const parts = (prompt: string, answer: string): string[][] => {
    const document = {
      messages: [
        { role: 'system', content: prompt },
        { role: 'user', content: 'Fix it.' },
        { role: 'assistant', content: answer },
        { role: 'user', content: 'The human speaks.' },
      ],
    }
    const { steps } = read(document)
    for (const part of steps.flatMap((one) => one.parts)) expect(textAt(document, part.path)).toBe(part.text)
    return steps.slice(2).flatMap((one) => one.parts.map(({ actor, text }) => [actor, text]))
  }

  test.each([
    [HERMES, `I will not: <tool_call> is how one would ${SECRET}, never mind`],
    [HERMES, `<tool_call>${SECRET}</tool_call>`],
    [FUNCTIONS, `I will not write <function= and ${SECRET}`],
    [FUNCTIONS, `I will not write <function=a b> and ${SECRET}</function>`],
  ])('%s: %s', (prompt, answer) => {
    expect(parts(prompt, answer)).toEqual([
      ['agent_message', answer],
      ['user', 'The human speaks.'],
    ])
  })

  test.each([
    [HERMES, 'By <tool_call> I act:\n', '<tool_call>\n{"name": "bash"}\n</tool_call>'],
    [FUNCTIONS, 'By <function= I act:\n', '<function=bash>\n</function>'],
  ])('%s: beside a call', (prompt, said, call) => {
    expect(parts(prompt, said + call)).toEqual([
      ['agent_message', said],
      ['agent_action', call],
      ['tool_output', 'The human speaks.'],
    ])
  })
})
