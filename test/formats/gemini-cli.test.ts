import { describe, expect, test } from 'vitest'
import { PNG } from '../pictures.ts'
import { oddIn, partsOf, pathsOf, read, refuse } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const chat = (...messages: unknown[]): Row => ({ sessionId: 's', projectHash: 'p', messages })
const user = (content: unknown, id = 'u'): Row => ({ id, type: 'user', content })
const answered = (id: string, response: unknown): Row => ({
  functionResponse: { id, name: 'run_shell_command', response },
})
const made = (id: string, args: Row, result: unknown, more: Row = {}): Row => ({
  ...{ id, name: 'run_shell_command', args, result, ...more },
})
const reply = (id: string, more: Row = {}): Row => ({ id, type: 'gemini', content: '', model: 'gemini-9', ...more })

describe('steps of gemini-cli', () => {
  test('a reply is one step: thoughts, words, calls, then all results', () => {
    const document = chat(
      user('Go.'),
      reply('g', {
        thoughts: [{ subject: 'S', description: 'D' }],
        content: [{ text: 'I look.' }],
        toolCalls: [
          made('1', { command: 'ls' }, [answered('1', { output: 'a' })], {
            ...{ resultDisplay: 'for people', description: 'Runs a command in a shell, as its definition says.' },
          }),
          made('2', {}, [answered('2', { error: 'no' }), { inlineData: { mimeType: 'image/png', data: PNG } }]),
          made('3', { command: 'x' }, null),
        ],
      }),
    )
    const trajectory = read(document)
    expect(told(trajectory)[1]).toEqual([
      ...['agent_reasoning: S', 'agent_reasoning: D', 'agent_message: I look.'],
      ...['agent_action: ls', 'agent_action: run_shell_command', 'agent_action: x'],
      ...['tool_output: a', 'tool_output: no', 'tool_output: [media: image/png]'],
    ])
    const path = '/messages/1/toolCalls/0/result/0/functionResponse/response/output'
    expect(partsOf(trajectory, 1)[6]).toEqual(['tool_output', 'run_shell_command', path, 'a'])
    expect(trajectory.steps[1]?.parts.at(-1)?.media).toBe(true)
    expect(trajectory).toMatchObject({ agent: { model: 'gemini-9' }, warnings: [] })
  })

  test('a message that is written again replaces its first wording, at its first place', () => {
    const records = [
      { sessionId: 's', projectHash: 'p', startTime: 't' },
      user('Go.'),
      reply('g', { content: 'Look' }),
      user('Also.', 'v'),
      { $set: { lastUpdated: 't' } },
      reply('g', {
        content: 'Look.',
        toolCalls: [made('1', { command: 'ls' }, 'out')],
      }),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      ['agent_message: Look.', 'agent_action: ls', 'tool_output: out'],
      ['user: Also.'],
    ])
    expect(partsOf(trajectory, 1)[0]?.[2]).toBe('/records/5/content')
    const wound = read({ records: [...records, { $rewindTo: 'u' }] })
    expect(pathsOf(wound.warnings)).toEqual(['/records/6'])
  })

  test('a stream (--output-format stream-json) is refused', () => {
    const records = [
      { type: 'init', session_id: 's', model: 'gemini-9' },
      { type: 'message', role: 'user', content: 'Go.' },
      { type: 'tool_use', tool_name: 'run_shell_command', tool_id: '1', parameters: { command: 'ls' } },
      { type: 'tool_result', tool_id: '1', status: 'success', output: 'a' },
    ]
    expect(pathsOf(refuse({ records }))).toEqual([''])
  })

  test.each<[string, Row, string]>([
    ['an unknown message', { id: 'x', type: 'novel', content: 'a' }, '/messages/1'],
    ['a message named __proto__', { id: 'x', type: '__proto__' }, '/messages/1'],
    ['a call without a name', reply('g', { toolCalls: [{ args: { a: 'b' } }] }), '/messages/1/toolCalls/0/name'],
  ])('%s is warned about', (_, message, path) => {
    expect(pathsOf(read(chat(user('Go.'), message)).warnings)).toEqual([path])
  })

  test.each<[string, unknown, string]>([
    ['a message that is text', 'x', '/messages/1'],
    ['content that is a number', user(1), '/messages/1/content'],
    ['a part that is a number', user([1]), '/messages/1/content/0'],
    ['calls that are an object', reply('g', { toolCalls: {} }), '/messages/1/toolCalls'],
    ['a call that is text', reply('g', { toolCalls: ['x'] }), '/messages/1/toolCalls/0'],
  ])('%s is unread at its place', (_, message, path) => {
    expect(oddIn(chat(user('Go.'), message))).toEqual([path])
  })
})
