import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { read } from './make.ts'

const TAU2 = {
  info: {},
  tasks: [],
  simulations: [
    {
      ...{
        id: 's',
        task_id: '1',
        termination_reason: 'user_stop',
        reward_info: { reward: 1 },
        policy: 'Ask before you book.',
      },
      messages: [
        { role: 'user', content: 'Book it.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', name: 'book', arguments: { seat: '4A' }, requestor: 'assistant' }],
        },
        { role: 'tool', id: 'c', content: 'booked', requestor: 'assistant', error: false },
      ],
    },
  ],
}
const KIMI = {
  records: [
    { role: '_checkpoint', id: 0 },
    { role: '_system_prompt', content: 'You are Kimi.' },
    { role: 'user', content: 'List the files.' },
    {
      role: 'assistant',
      content: [{ type: 'think', think: 'I look.' }],
      tool_calls: [{ type: 'function', id: 'c', function: { name: 'Shell', arguments: '{"command":"ls"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'README' }] },
    { role: '_usage', token_count: 5 },
  ],
}
const WEB = {
  loglines: [
    {
      type: 'user',
      uuid: 'a',
      parentUuid: null,
      sessionId: 's',
      message: { role: 'user', content: 'List the files.' },
    },
    {
      ...{ type: 'assistant', uuid: 'b', parentUuid: 'a', sessionId: 's' },
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }] },
    },
    {
      type: 'user',
      uuid: 'c',
      parentUuid: 'b',
      sessionId: 's',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'README' }] },
    },
  ],
}

const call = (more: object) => [{ type: 'tool_use', ...more, input: { command: 'ls' } }]
const DROID = {
  records: [
    { type: 'session_start', id: 's', title: 'Files', owner: 'me', version: 2, cwd: '/app' },
    { type: 'message', id: '1', message: { role: 'user', content: [{ type: 'text', text: 'List the files.' }] } },
    {
      type: 'message',
      id: '2',
      parentId: '1',
      message: { role: 'assistant', content: call({ id: 'c', name: 'Execute' }) },
    },
    {
      type: 'message',
      id: '3',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'README' }] },
    },
  ],
}
const CURSOR = {
  records: [
    { role: 'user', message: { content: [{ type: 'text', text: '<user_query>List the files.</user_query>' }] } },
    { role: 'assistant', message: { content: call({ name: 'Shell' }) } },
  ],
}

it.each([
  [
    'a session of Factory Droid',
    DROID,
    ['user', 'agent_action /records/2/message/content/0/input/command', 'tool_output'],
  ],
  ['a transcript of Cursor', CURSOR, ['user', 'agent_action /records/1/message/content/0/input/command']],
  [
    'the results of tau2',
    TAU2,
    ['system /simulations/0/policy', 'user', 'agent_action', 'tool_output /simulations/0/messages/2/content'],
  ],
  [
    'a context of Kimi CLI',
    KIMI,
    ['system', 'user', 'agent_reasoning /records/3/content/0/think', 'agent_action', 'tool_output'],
  ],
  [
    'a session of Claude Code on the web',
    WEB,
    ['user', 'agent_action /loglines/1/message/content/0/input/command', 'tool_output'],
  ],
])('%s', (_, document, expected) => {
  const { steps, unread } = read(document)
  const parts = steps.flatMap((step) => step.parts.map(({ actor, path }) => `${actor} ${path}`))
  expect(parts).toEqual(expected.map((part) => expect.stringContaining(part)))
  expect(unread).toEqual({ records: 0, actions: 0 })
})

it('knows the tool by which Droid runs commands', () => {
  const acts = read(DROID).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act?.language ?? []))
  expect(acts).toEqual(['shell'])
})

it.each([
  ['Create', { file_path: 'NOTES.md', content: 'make x' }, ['writes', 'writes']],
  ['Edit', { file_path: 'NOTES.md', old_str: 'make x', new_str: '' }, ['writes', 'removes']],
  ['Read', { file_path: 'NOTES.md' }, ['reads']],
  ['AskUser', { questionnaire: 'make x?' }, []],
])('knows the arguments of Droid’s tool %s', (name, input, roles) => {
  const records = structuredClone(DROID.records)
  Object.assign(records[2]?.message?.content[0] ?? {}, { name, input })
  const acts = read({ records }).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act?.role ?? []))
  expect(acts).toEqual(roles)
})

it('reads a named user in the history of a plain chat as the user', () => {
  const { steps } = read({ history: [{ role: 'user', name: 'ada', content: 'Hello.' }] })
  expect(steps.flatMap(({ parts }) => parts.map(({ actor }) => actor))).toEqual(['user'])
})

const WHO_AND_WHEN = '../shared/labelled/who-and-when'

describe.skipIf(!existsSync(WHO_AND_WHEN))('Who&When as published', () => {
  test.each(['Algorithm-Generated', 'Hand-Crafted'])('%s: each entry is read, and terminals answer', (group) => {
    for (const file of readdirSync(`${WHO_AND_WHEN}/${group}`)) {
      const run = JSON.parse(readFileSync(`${WHO_AND_WHEN}/${group}/${file}`, 'utf8')) as {
        history: Record<string, string>[]
      }
      const parts = read(run).steps.flatMap((step) => step.parts)
      const entries = new Set(parts.map(({ path }) => /^\/history\/\d+/u.exec(path)?.[0]))
      const full = run.history.flatMap(({ content }, index) => (content?.trim() ? [`/history/${index}`] : []))
      expect(
        full.filter((path) => !entries.has(path)),
        file,
      ).toEqual([])
      const terminals = run.history.filter(({ role, name }) => /^computer_?terminal$/iu.test(name ?? role ?? ''))
      expect(
        parts.filter(({ actor }) => actor === 'tool_output'),
        file,
      ).toHaveLength(terminals.length)
      expect(
        parts.some(({ actor }) => actor === 'user'),
        file,
      ).toBe(true)
    }
  })
})
