import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { PNG } from '../pictures.ts'
import { expectPlaces, partsOf, pathsOf, read } from './make.ts'
import { texts, told } from './told.ts'

type Row = Record<string, unknown>

function expectOwnPlaces(trajectory: Trajectory, document: unknown): void {
  const paths = trajectory.steps.flatMap((step) => step.parts).map((part) => part.path)
  expect(new Set(paths).size).toBe(paths.length)
  expectPlaces(document, trajectory)
}

const item = (payload: Row): Row => ({ timestamp: 't', type: 'response_item', payload })
const event = (payload: Row): Row => ({ timestamp: 't', type: 'event_msg', payload })
const message = (role: string, text: string): Row => ({
  type: 'message',
  role,
  content: [{ type: 'input_text', text }],
})
const call = (call_id: string, args: unknown = `{"cmd":"${call_id}"}`): Row => ({
  ...{ type: 'function_call', name: 'shell', arguments: args, call_id },
})
const output = (call_id: string, text: unknown = `out ${call_id}`): Row => ({
  ...{ type: 'function_call_output', call_id, output: text },
})

describe('steps of codex', () => {
  test('parallel calls are one step with their answers, and events do not tell items again', () => {
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }
    const records = [
      { type: 'turn_context', payload: { model: 'gpt' } },
      event({ type: 'user_message', message: 'Go.' }),
      item(message('user', 'Go.')),
      event({ type: 'agent_reasoning', text: 'hm' }),
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' }),
      item(call('1')),
      item(call('2')),
      event({ type: 'exec_command_end', call_id: '1', stdout: 'raw', formatted_output: 'raw' }),
      item(output('1')),
      item(output('2', [{ type: 'input_text', text: 'out 2' }, picture])),
      event({ type: 'agent_message', message: 'Done.' }),
      item(message('assistant', 'Done.')),
      event({ type: 'task_complete', last_agent_message: 'Done.' }),
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
    expect(trajectory).toMatchObject({ agent: { model: 'gpt' }, warnings: [] })
    expect(trajectory.steps[1]?.parts.at(-1)).toMatchObject({ media: true, picture: { data: PNG, width: 1 } })
    expect(partsOf(trajectory, 1)[1]).toEqual(['agent_action', 'shell.cmd', '/records/5/payload/arguments#/cmd', '1'])
  })

  test('an answer that comes after other things stands after them', () => {
    const records = [call('1'), message('user', 'Also.'), output('1'), message('assistant', 'So.')].map(item)
    expect(told(read({ records })).map((step) => step.join())).toEqual([
      ...['agent_action: 1', 'user: Also.', 'tool_output: out 1', 'agent_message: So.'],
    ])
  })

  test.each<[string, Row, string[]]>([
    [
      'a shell call',
      { type: 'local_shell_call', call_id: '1', action: { type: 'exec', command: ['ls', '-l'] } },
      ['exec', '["ls","-l"]'],
    ],
    ['a custom tool', { type: 'custom_tool_call', call_id: '1', name: 'apply_patch', input: '{"a":1}' }, ['{"a":1}']],
    ['a search', { type: 'web_search_call', action: { query: 'q' } }, ['q']],
    ['arguments that are no JSON', call('1', 'not json'), ['not json']],
    ['no arguments', call('1', '{}'), ['shell']],
  ])('a call: %s', (_, payload, expected) => {
    expect(texts(read({ records: [item(payload)] }), 'agent_action')).toEqual(expected)
  })

  test.each<[string, unknown, string[]]>([
    [
      'an envelope',
      '{"output":"o","metadata":{"exit_code":1}}',
      ['/records/1/payload/output#/output', '/records/1/payload/output#/metadata/exit_code'],
    ],
    ['JSON that a command printed', '{"output":"o","more":1}', ['/records/1/payload/output']],
    ['an object', { content: 'o', success: true }, ['/records/1/payload/output/content']],
  ])('an answer: %s', (_, value, paths) => {
    const trajectory = read({ records: [item(call('1')), item(output('1', value))] })
    expect(trajectory.steps[0]?.parts.slice(1).map((part) => part.path)).toEqual(paths)
  })

  const session = { id: 's', timestamp: 't', instructions: 'Be good.' }
  const items = [message('user', 'Go.'), call('1'), output('1')]
  test.each<[string, unknown]>([
    ['lines without envelopes', { records: [session, { record_type: 'state' }, ...items] }],
    ['one object', { session, items }],
  ])('an older rollout: %s', (_, document) => {
    const trajectory = read(document)
    expect(told(trajectory)).toEqual([['system: Be good.'], ['user: Go.'], ['agent_action: 1', 'tool_output: out 1']])
    expectOwnPlaces(trajectory, document)
  })

  test.each([
    ['terminal_interaction', { stdin: 'y' }],
    ['collab_agent_spawn_begin', { prompt: 'p' }],
  ])('an act that only the event %s has is warned about', (type, words) => {
    const records = (id: string): Row[] => [item(call('1')), event({ type, call_id: id, ...words })]
    expect(pathsOf(read({ records: records('2') }).warnings)).toEqual(['/records/1/payload'])
    expect(read({ records: records('1') }).warnings).toEqual([])
  })

  test.each([
    ['a call of which an event is left out alone', 'exec_command_output_delta', 1],
    ['an event beside its call', 'exec_command_output_delta', 0],
  ])('an unread act: %s', (name, type, actions) => {
    const call_id = name.includes('beside') ? '1' : '2'
    expect(read({ records: [item(call('1')), event({ type, call_id })] }).unread.actions).toBe(actions)
  })

  test('the state of the folder is told once, and a plan is words of the agent', () => {
    const text = 'Keep the tests green.'
    const plan = { type: 'Plan', id: 'p', text: '# Plan' }
    const records = [
      { timestamp: 't', type: 'world_state', payload: { full: true, state: { agents_md: { directory: '/a', text } } } },
      item(message('user', text)),
      event({ type: 'item_completed', item: plan }),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([[`user: ${text}`], ['agent_message: # Plan']])
    expect(trajectory.warnings).toEqual([])
  })

  test('an event tells no call again that an item tells', () => {
    const action = { type: 'search', query: 'q' }
    const command = ['/bin/zsh', '-lc', 'make all of the things that stand in the plan']
    const records = [
      event({ type: 'web_search_end', call_id: 'ws_1', query: 'q', action }),
      item({ type: 'web_search_call', status: 'completed', action }),
      item(call('1')),
      event({ type: 'exec_command_end', call_id: '1', command, exit_code: 0 }),
    ]
    const trajectory = read({
      records: [...records, { type: 'session_meta', payload: { id: '1', dynamic_tools: [] } }],
    })
    expect(texts(trajectory, 'agent_action')).toEqual(['search', 'q', '1'])
    expect(trajectory.unread).toEqual({ records: 0, actions: 0 })
  })

  test('events alone tell a run: the old output of exec', () => {
    const msg = (id: string, body: Row): Row => ({ id, msg: body })
    const records = [
      { model: 'o3', provider: 'openai', workdir: '/' },
      { prompt: 'Go.' },
      msg('0', { type: 'task_started' }),
      msg('0', { type: 'agent_reasoning', text: 'hm' }),
      msg('0', { type: 'exec_command_begin', call_id: '1', command: ['ls'], cwd: '/' }),
      msg('0', { type: 'exec_command_end', call_id: '1', stdout: 'a', stderr: 'b', exit_code: 0 }),
      msg('0', { type: 'agent_message', message: 'Done.' }),
      msg('0', { type: 'agent_message', message: 'Done.' }),
      msg('0', { type: 'task_complete', last_agent_message: 'Done.' }),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      ['agent_reasoning: hm', 'agent_action: ["ls"]', 'agent_action: /', 'tool_output: a', 'tool_output: b'],
      ['agent_message: Done.', 'agent_message: Done.'],
    ])
    expect(trajectory).toMatchObject({ agent: { model: 'o3' }, warnings: [] })
    expectOwnPlaces(trajectory, { records })
  })

  test('the output of exec --json: an act stands where it started, its answer where it was completed', () => {
    const of = (type: string, body: Row): Row => ({ type: `item.${type}`, item: body })
    const run = (id: string, more: Row = {}): Row => ({
      ...{ id, type: 'command_execution', command: id, aggregated_output: '', ...more },
    })
    const asked = { id: 'c', type: 'mcp_tool_call', server: 's', tool: 't', arguments: { q: 1 } }
    const records = [
      { type: 'thread.started', thread_id: 't' },
      of('started', run('a')),
      of('started', run('b')),
      of('completed', run('b', { aggregated_output: 'B', exit_code: 0 })),
      of('completed', { ...asked, error: { message: 'no' } }),
      of('completed', run('a', { aggregated_output: 'A', exit_code: 1 })),
      of('started', { id: 'd', type: 'web_search', query: '' }),
      of('completed', { id: 'd', type: 'web_search', query: 'q' }),
      { type: 'turn.failed', error: { message: 'limit' } },
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['agent_action: a', 'agent_action: b', 'tool_output: B', 'tool_output: 0'],
      ['agent_action: s', 'agent_action: t', 'agent_action: 1', 'tool_output: no'],
      ['tool_output: A', 'tool_output: 1'],
      ['agent_action: q'],
      ['system: limit'],
    ])
    expectOwnPlaces(trajectory, { records })
  })

  test('a compaction is the words of the model, and what it kept is told once', () => {
    const history = [message('user', 'Go.'), message('user', 'Summary: we did.')]
    const records = [
      item(message('user', 'Go.')),
      { type: 'compacted', payload: { message: 'we did.', replacement_history: history } },
    ]
    expect(told(read({ records }))).toEqual([['user: Go.'], ['agent_message: we did.']])
  })

  test.each<[string, Row, string]>([
    ['an unknown item', item({ type: 'novel' }), '/records/1/payload'],
    ['an unknown event', event({ type: 'novel' }), '/records/1/payload'],
    ['an unknown record', { type: 'novel' }, '/records/1'],
    ['an event named __proto__', event({ type: '__proto__' }), '/records/1/payload'],
    ['an orphan answer', item(output('9')), '/records/1/payload/call_id'],
    [
      'encrypted reasoning',
      item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
      '/records/1/payload/encrypted_content',
    ],
  ])('%s is warned about', (_, record, path) => {
    expect(pathsOf(read({ records: [item(message('user', 'Go.')), record] }).warnings)).toEqual([path])
  })

  test.each<[string, unknown, string]>([
    ['a record that is null', null, '/records/1'],
    ['a payload that is text', { type: 'response_item', payload: 'x' }, '/records/1/payload'],
    ['content that is a number', item({ type: 'message', role: 'user', content: 1 }), '/records/1/payload/content'],
    ['a piece that is a number', item({ type: 'message', role: 'user', content: [1] }), '/records/1/payload/content/0'],
  ])('%s is unread, and refuses no session', (_, record, path) => {
    const { unread, warnings } = read({ records: [item(message('user', 'Go.')), record] })
    expect([unread.actions, pathsOf(warnings)]).toEqual([1, [path]])
  })
})
