import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { PNG } from '../pictures.ts'
import { beyondTools, holds, pathsOf, refuse } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const ids = { sessionID: 'ses_1', messageID: 'msg_1' }
let count = 0
const part = (type: string, more: Row = {}): Row => ({ id: `prt_${count++}`, ...ids, type, ...more })
const tool = (name: string, state: Row, more: Row = {}): Row =>
  part('tool', { callID: `call_${count}`, tool: name, state, ...more })
const time = { start: 1767225601000, end: 1767225602000 }
const user = (...parts: Row[]): Row => ({
  info: { id: 'msg_u', sessionID: 'ses_1', role: 'user', time: { created: 1767225600000 }, agent: 'build', model: {} },
  parts,
})
const agent = (parts: Row[], more: Row = {}): Row => ({
  info: {
    id: 'msg_a',
    sessionID: 'ses_1',
    role: 'assistant',
    time: { created: 1767225601000 },
    parentID: 'msg_u',
    modelID: 'm',
    providerID: 'p',
    mode: 'build',
    agent: 'build',
    path: {},
    cost: 0,
    tokens: {},
    ...more,
  },
  parts,
})
const session = (...messages: Row[]): Row => ({
  info: {
    id: 'ses_1',
    projectID: 'x',
    directory: '/w',
    title: 't',
    version: '1.1.0',
    time: { created: 1, updated: 2 },
  },
  messages,
})
const outcomes = (trajectory: Trajectory) =>
  trajectory.steps
    .flatMap(({ parts }) => parts)
    .flatMap(({ act }) => act ?? [])
    .map(({ role, call }) => [role, call.outcome])

describe('opencode', () => {
  const run = session(
    user(
      part('text', { text: 'Run the tests.' }),
      part('text', { text: 'Called the Read tool', synthetic: true }),
      part('file', { mime: 'image/png', filename: 'a.png', url: `data:image/png;base64,${PNG}` }),
    ),
    agent([
      part('step-start', { snapshot: 's' }),
      part('reasoning', { text: 'Hm.', time }),
      part('text', { text: 'I look.' }),
      tool('bash', {
        status: 'completed',
        input: { command: 'cat README.md', description: 'Reads it' },
        output: 'Run npm test.',
        title: 't',
        metadata: { exit: 0 },
        time,
      }),
      part('step-finish', { reason: 'tool-calls', cost: 0, tokens: {} }),
      part('patch', { hash: 'h', files: ['a'] }),
      part('step-start'),
      tool('write', {
        status: 'completed',
        input: { filePath: '/w/a', content: 'x' },
        output: 'Wrote.',
        title: 't',
        metadata: {},
        time,
      }),
      part('text', { text: 'Done.' }),
    ]),
  )

  test('an export: each request of the agent is a step', () => {
    const trajectory = holds(run)
    expect(told(trajectory)).toEqual([
      ['user: Run the tests.', 'system: Called the Read tool', 'user: [image: a.png]'],
      [
        'agent_reasoning: Hm.',
        'agent_message: I look.',
        'agent_action: cat README.md',
        'agent_action: Reads it',
        'tool_output: Run npm test.',
      ],
      ['agent_action: /w/a', 'agent_action: x', 'agent_message: Done.', 'tool_output: Wrote.'],
    ])
    expect(outcomes(trajectory)).toEqual([
      ['executes', 'ran'],
      ['describes', 'ran'],
      ['writes', 'ran'],
      ['writes', 'ran'],
    ])
    expect(trajectory.steps[0]?.parts[2]?.picture).toBeDefined()
    expect(trajectory).toMatchObject({
      format: 'opencode',
      agent: { name: 'opencode', model: 'p/m' },
      warnings: [],
      unread: { records: 0 },
    })
  })

  test('the messages alone, and the lines that a run prints', () => {
    expect(told(holds({ records: run['messages'] }))).toEqual(told(holds(run)))
    const [, second] = run['messages'] as [Row, Row]
    const TYPES: Row = {
      'step-start': 'step_start',
      'step-finish': 'step_finish',
      text: 'text',
      tool: 'tool_use',
      reasoning: 'reasoning',
    }
    const lines = (second['parts'] as Row[])
      .filter(({ type }) => String(type) in TYPES)
      .map((one) => ({ type: TYPES[String(one['type'])], timestamp: 1767225601000, sessionID: 'ses_1', part: one }))
    const trajectory = holds({
      records: [
        ...lines,
        { type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name: 'X', data: { message: 'Gone.' } } },
      ],
    })
    expect(told(trajectory)).toEqual([...told(holds(run)).slice(1), ['system: Gone.']])
  })

  test.each<[string, Row, string]>([
    ['pending', { status: 'pending', input: {}, raw: '{"command":"rm' }, 'cancelled'],
    ['running', { status: 'running', input: { command: 'ls' }, time }, 'interrupted'],
    [
      'rejected',
      {
        status: 'error',
        input: { command: 'ls' },
        error: 'The user rejected permission to use this specific tool call.',
        time,
      },
      'rejected',
    ],
    [
      'forbidden',
      {
        status: 'error',
        input: { command: 'ls' },
        error: 'Error: The user has specified a rule which prevents you from using this specific tool call. []',
        time,
      },
      'rejected',
    ],
    ['aborted', { status: 'error', input: { command: 'ls' }, error: 'Tool execution aborted', time }, 'interrupted'],
    ['failed', { status: 'error', input: { command: 'ls' }, error: 'ENOENT', time }, 'failed'],
    [
      'ended with a code',
      { status: 'completed', input: { command: 'ls' }, output: 'no', metadata: { exit: 2 }, title: '', time },
      'failed',
    ],
  ])('a call that is %s', (_, state, outcome) => {
    const trajectory = holds(session(user(part('text', { text: 'Go.' })), agent([tool('bash', state)])))
    expect(outcomes(trajectory)).toEqual([[outcome === 'cancelled' ? 'unknown' : 'executes', outcome]])
  })

  test('a subagent in another session is unread; a summary is the agent’s; what is unknown is told', () => {
    const task = tool('task', {
      status: 'completed',
      input: { prompt: 'Look.', description: 'd', subagent_type: 'general' },
      output: 'Seen.',
      metadata: { sessionId: 'ses_2' },
      title: '',
      time,
    })
    const trajectory = holds(
      session(
        user(part('subtask', { prompt: 'Look.', description: 'd', agent: 'general' })),
        agent([task, part('novel', { text: 'x' }), part('text', { text: 'All so far.' })], {
          summary: true,
          odd: 1,
          error: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
        }),
      ),
    )
    expect(pathsOf(beyondTools(trajectory.warnings))).toEqual([
      '/messages/1/info',
      '/messages/1/parts/0/state/metadata/sessionId',
      '/messages/1/parts/1',
    ])
    expect(trajectory.unread).toEqual({ records: 2, actions: 1 })
    expect(told(trajectory).at(-1)).toEqual(['system: Aborted'])
  })

  test('what cannot be read is an error at its place', () => {
    expect(pathsOf(refuse(session(user(part('text', { text: 1 })))))).toEqual(
      expect.arrayContaining(['/messages/0/parts/0/text']),
    )
  })
})
