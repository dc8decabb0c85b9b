import { describe, expect, test } from 'vitest'
import { holds, pathsOf, refuse } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const message = (role: string, content: unknown, more: Row = {}): Row => ({
  id: null,
  role,
  content,
  metadata: {},
  ...more,
})
const transcript = (messages: Row[], more: Row = {}): Row => ({
  id: 't',
  name: null,
  description: null,
  transcript_group_id: null,
  created_at: null,
  metadata: {},
  messages,
  ...more,
})
const run = (transcripts: unknown, more: Row = {}): Row => ({
  id: 'r',
  name: 'run',
  description: null,
  transcripts,
  transcript_groups: [],
  metadata: { scores: { reward: 1 } },
  ...more,
})
const MESSAGES = [
  message('system', 'Be good.'),
  message('user', 'Run the tests.'),
  message(
    'assistant',
    [
      { type: 'reasoning', reasoning: 'Hm.', signature: null, redacted: false },
      { type: 'text', text: 'I look.', refusal: null },
    ],
    {
      model: 'm',
      tool_calls: [
        { id: '1', function: 'bash', arguments: { command: 'ls' }, type: 'function', parse_error: null, view: null },
      ],
      citations: null,
      suggested_messages: null,
    },
  ),
  message('tool', 'no', { tool_call_id: '1', function: 'bash', error: { type: 'permission', message: 'denied' } }),
]
describe('docent', () => {
  test('a run of one transcript', () => {
    const trajectory = holds(run([transcript(MESSAGES)]))
    expect(told(trajectory)).toEqual([
      ['system: Be good.'],
      ['user: Run the tests.'],
      ['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: ls', 'tool_output: no', 'tool_output: denied'],
    ])
    expect(trajectory.steps[2]?.parts[2]?.act).toMatchObject({
      role: 'executes',
      language: 'shell',
      call: { outcome: 'failed' },
    })
    expect(trajectory).toMatchObject({ format: 'docent', agent: { model: 'm' }, warnings: [], unread: { records: 0 } })
  })

  test('several transcripts are named and stand one behind the other', () => {
    const groups = [{ id: 'g', name: 'helpers', agent_run_id: 'r', parent_transcript_group_id: null, metadata: {} }]
    const trajectory = holds(
      run([transcript(MESSAGES), transcript([message('assistant', 'Hi.')], { transcript_group_id: 'g' })], {
        transcript_groups: groups,
      }),
    )
    expect(trajectory.steps.map(({ id, name, agent }) => [id, name, agent])).toEqual([
      [1, 'transcript 1#1', undefined],
      [2, 'transcript 1#2', undefined],
      [3, 'transcript 1#3', 'transcript 1'],
      [4, 'helpers#1', 'helpers'],
    ])
    expect(trajectory.steps.map(({ conversation }) => conversation)).toEqual([
      ...['/transcripts/0', '/transcripts/0', '/transcripts/0'],
      '/transcripts/1',
    ])
    expect(pathsOf(trajectory.warnings)).toEqual(['/transcripts'])
    expect(holds(run({ main: transcript(MESSAGES) })).steps).toHaveLength(3)
  })

  test('unknown members are warned about; what is no message is an error at its place', () => {
    expect(pathsOf(holds(run([transcript(MESSAGES, { odd: 1 })], { odd: 1 })).warnings)).toEqual([
      '/odd',
      '/transcripts/0/odd',
    ])
    expect(pathsOf(refuse(run([transcript([1 as unknown as Row])])))).toEqual(
      expect.arrayContaining(['/transcripts/0/messages/0']),
    )
  })
})
