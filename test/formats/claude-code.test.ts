import { describe, expect, test } from 'vitest'
import { PNG } from '../pictures.ts'
import { partsOf, pathsOf, read } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const SESSION = { sessionId: 's' }
let serial = 0
const uuid = (): string => `u${serial++}`
const assistant = (id: string | undefined, content: unknown, more: Row = {}): Row => ({
  type: 'assistant',
  ...SESSION,
  uuid: uuid(),
  message: { role: 'assistant', model: 'm', ...(id === undefined ? {} : { id }), content },
  ...more,
})
const user = (content: unknown, more: Row = {}): Row => ({
  ...{ type: 'user', ...SESSION, uuid: uuid(), message: { role: 'user', content }, ...more },
})
const use = (id: string, input: unknown = { command: id }): Row => ({ type: 'tool_use', id, name: 'Bash', input })
const result = (id: string, content: unknown = `out ${id}`): Row => ({ type: 'tool_result', tool_use_id: id, content })
const say = (text: string): Row => ({ type: 'text', text })
describe('steps of claude-code', () => {
  test('the log lines of a session on the web need no other marks', () => {
    const loglines = [{ type: 'user', message: { role: 'user', content: 'Go.' } }]
    expect(read({ loglines })).toMatchObject({ format: 'claude-code', unread: { records: 0, actions: 0 } })
  })

  test('pieces of one message are one step, even where a result came between them', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
    const records = [
      user('Go.'),
      assistant('a', [{ type: 'thinking', thinking: 'hm' }]),
      assistant('a', [use('1')]),
      user([result('1')]),
      assistant('a', [use('2')]),
      user([result('2', [say('out 2'), picture])]),
      assistant('b', [say('Done.')]),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      [
        ...['agent_reasoning: hm', 'agent_action: 1', 'agent_action: 2'],
        ...['tool_output: out 1', 'tool_output: out 2', 'tool_output: [image: image/png]'],
      ],
      ['agent_message: Done.'],
    ])
    const path = '/records/2/message/content/0/input/command'
    expect(partsOf(trajectory, 1)[1]).toEqual(['agent_action', 'Bash.command', path, '1'])
    expect(partsOf(trajectory, 1)[3]).toEqual(['tool_output', 'Bash', '/records/3/message/content/0/content', 'out 1'])
    expect(trajectory.steps[1]?.parts.at(-1)).toMatchObject({ media: true, picture: { data: PNG, width: 1 } })
    expect(trajectory.steps.map((step) => step.name)).toEqual([expect.stringMatching(/^u/), 'a', 'b'])
  })

  test.each<[string, Row, Row]>([
    ['its reply had ended', { stop_reason: 'tool_use' }, {}],
    ['it came from another request', { requestId: '1' }, { requestId: '2' }],
  ])('an id that comes back is another reply where %s', (_, first, second) => {
    const a = assistant('same', [use('1')], first)
    if ('stop_reason' in first) Object.assign(a['message'] as Row, first)
    const records = [a, user([result('1')]), assistant('same', [use('2')], second), user([result('2')])]
    expect(told(read({ records }))).toEqual([
      ['agent_action: 1', 'tool_output: out 1'],
      ['agent_action: 2', 'tool_output: out 2'],
    ])
  })

  test('a result after the steps of a subagent stands after them', () => {
    const side = { isSidechain: true, agentId: 'x' }
    const records = [
      user('Go.'),
      assistant('a', [use('1', { prompt: 'look' })]),
      user('look', side),
      assistant('s', [use('2')], side),
      user([result('2')], side),
      user([result('1', 'found')]),
      assistant('b', [say('Done.')]),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      ['agent_action: look'],
      ['agent_message: look'],
      ['agent_action: 2', 'tool_output: out 2'],
      ['tool_output: found'],
      ['agent_message: Done.'],
    ])
    expect(trajectory.steps[3]?.name).toBe('x#s')
    expect(told(read({ records: records.slice(2, 5) }))[0]).toEqual(['user: look'])
  })

  test('a subagent is read out of the progress that the main file keeps of it', () => {
    const data = { type: 'agent_progress', agentId: 'x', message: assistant('s', [use('2')]) }
    const records = [user('Go.'), { type: 'progress', data }, { type: 'progress', data: { type: 'hook_progress' } }]
    const trajectory = read({ records })
    expect(partsOf(trajectory, 1)).toEqual([
      ['agent_action', 'Bash.command', '/records/1/data/message/message/content/0/input/command', '2'],
    ])
    expect(trajectory.warnings).toEqual([])
  })

  test('a stream has its agent in the first record, repeats blocks and ends with the last words', () => {
    const stream = { session_id: 's', parent_tool_use_id: null }
    const records = [
      { type: 'system', subtype: 'init', session_id: 's', tools: [], model: 'm1', cwd: '/' },
      { ...assistant('a', [say('Look.')]), ...stream },
      { ...assistant('a', [say('Look.'), use('1')]), ...stream },
      { ...user([result('1')]), ...stream },
      { ...assistant('b', [say('Done.')]), ...stream },
      { type: 'result', subtype: 'success', result: 'Done.', session_id: 's' },
    ]
    const trajectory = read({ records })
    expect(trajectory.agent.model).toBe('m1')
    expect(told(trajectory)).toEqual([
      ['agent_message: Look.', 'agent_action: 1', 'tool_output: out 1'],
      ['agent_message: Done.'],
    ])
    expect(trajectory.warnings).toEqual([
      { path: '/records/2/message/content/0', message: expect.stringMatching(/once/) },
    ])
    expect(told(read({ type: 'result', session_id: 's', result: 'All.' }))).toEqual([['agent_message: All.']])
    const failed = {
      records: [...records.slice(0, 5), { type: 'result', session_id: 's', is_error: true, errors: ['limit'] }],
    }
    expect(told(read(failed)).at(-1)).toEqual(['system: limit'])
  })

  test('what follows a tool that the provider ran was written with its result in sight', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } }
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [{ type: 'web_search_result', title: 'T' }],
    }
    expect(told(read({ records: [assistant('a', [search, found, say('So.')])] }))).toEqual([
      ['agent_action: q', 'tool_output: T'],
      ['agent_message: So.'],
    ])
  })

  const reminder = '<system-reminder>\nx\n</system-reminder>'
  test.each<[string, Row, string]>([
    ['a prompt', user('Do.'), 'user: Do.'],
    ['what the harness adds', user([say(reminder)]), `system: ${reminder}`],
    ['a prompt after a reminder', user(`${reminder} Do.`), `user: ${reminder} Do.`],
    ['an expanded command', user('Do.', { isMeta: true }), 'system: Do.'],
    ['a summary by the model', user('We did.', { isCompactSummary: true }), 'agent_message: We did.'],
    ['words of the harness', assistant('a', [say('API Error')], { isApiErrorMessage: true }), 'system: API Error'],
    ['a document', user([{ type: 'document', source: { type: 'text', data: 'D' } }]), 'user: D'],
    ['a system record', { type: 'system', subtype: 'local_command', content: 'ran', ...SESSION }, 'system: ran'],
    ['memory beside the talk', { type: 'attachment', attachment: { type: 'nested_memory', text: 'M' } }, 'system: M'],
    ['a queued prompt', { type: 'attachment', attachment: { type: 'queued_command', prompt: 'Q' } }, 'user: Q'],
    ['a call without input', assistant('a', [use('1', {})]), 'agent_action: Bash'],
  ])('%s', (_, record, expected) => {
    expect(told(read({ records: [record, assistant('z', [say('.')])] }))[0]).toEqual([expected])
  })

  test.each<[string, Row[], string, RegExp]>([
    ['an unknown record', [user('a'), { type: 'novel' }], '/records/1', /"novel"/],
    ['a record without a type', [user('a'), {}], '/records/1', /none/],
    ['an unknown block', [user('a'), assistant('a', [{ type: 'odd', x: 'y' }])], '/records/1/message/content/0', /odd/],
    ['an orphan result', [user([result('9')])], '/records/0/message/content/0', /no tool call/],
    [
      'a prompt that never came',
      [user('a'), { type: 'queue-operation', content: 'And then look into the logs of the service, too.' }],
      '/records/1',
      /holds words/,
    ],
    ['a copy', [user('a', { uuid: 'q' }), user('a', { uuid: 'q' })], '/records/1', /copy/],
    [
      'encrypted reasoning',
      [assistant('a', [{ type: 'redacted_thinking', data: 'x' }, say('b')])],
      '/records/0/message/content/0',
      /encrypted/,
    ],
  ])('%s is warned about', (_, records, path, message) => {
    expect(read({ records }).warnings).toEqual([{ path, message: expect.stringMatching(message) }])
  })

  test('two records of one uuid, and both branches of a conversation that was wound back, are shown', () => {
    const records = [user('a', { uuid: 'q' }), user('b', { uuid: 'q' }), user('c', { parentUuid: 'q' })]
    expect(read({ records }).steps.map(({ parts }) => parts[0]?.text)).toEqual(['a', 'b', 'c'])
  })

  test.each<[string, unknown, string]>([
    ['a record that is a number', 1, '/records/1'],
    ['a message that is text', { ...user('a'), message: 'x' }, '/records/1/message'],
    ['content that is a number', user(1), '/records/1/message/content'],
    ['a block that is null', user([null]), '/records/1/message/content/0'],
    ['text that is an object', assistant('a', [{ type: 'text', text: {} }]), '/records/1/message/content/0/text'],
    ['a result of numbers', user([result('1', [1])]), '/records/1/message/content/0/content/0'],
  ])('%s is unread, and refuses no session', (_, record, path) => {
    const { unread, warnings } = read({ records: [assistant('z', [use('1')]), record] })
    expect([unread.actions, pathsOf(warnings)]).toEqual([1, expect.arrayContaining([path])])
  })

  test('members named __proto__ are text like any other', () => {
    const input = JSON.parse('{"__proto__":{"command":"ls"},"constructor":"c"}') as unknown
    const trajectory = read({
      records: [assistant('__proto__', [use('__proto__', input)]), user([result('__proto__')])],
    })
    expect(told(trajectory)).toEqual([['agent_action: ls', 'agent_action: c', 'tool_output: out __proto__']])
    expect(partsOf(trajectory, 0)[0]?.[2]).toBe('/records/0/message/content/0/input/__proto__/command')
  })
})
