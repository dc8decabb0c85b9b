import { describe, expect, test } from 'vitest'
import { partsOf, pathsOf, read, refuse } from './make.ts'

const run = (...messages: object[]): object => ({
  trajectory_format: 'mini-swe-agent-1.1',
  info: {},
  messages: [{ role: 'system', content: 'Be helpful.' }, { role: 'user', content: 'Fix it.' }, ...messages],
})
const OUTPUT = '<returncode>0</returncode>\n<output>\nREADME\n</output>'
const FENCE = '```mswea_bash_command\nls\n```'

describe('a run', () => {
  test('has speech and act apart, and the output as it was shown', () => {
    const trajectory = read(
      run({ role: 'assistant', content: `I look.\n\n${FENCE}\nSo.` }, { role: 'user', content: OUTPUT }),
    )
    expect(partsOf(trajectory, 2)).toEqual([
      ['agent_message', 'message', '/messages/2/content#char=0,9', 'I look.\n\n'],
      ['agent_action', 'bash', '/messages/2/content#char=31,33', 'ls'],
      ['agent_message', 'message', '/messages/2/content#char=37,41', '\nSo.'],
      ['tool_output', 'output', '/messages/3/content', OUTPUT],
    ])
  })

  test.each([
    ['no block', 'I am done.'],
    ['two blocks', `${FENCE}\n${FENCE}`],
    ['a block that does not end', '```mswea_bash_command\nls'],
    ['a block of another kind', '```python\nls\n```'],
    ['a mark that goes on', '```mswea_bash_commands\nls\n```'],
  ])('did nothing by an answer with %s', (_, content) => {
    const trajectory = read(run({ role: 'assistant', content }, { role: 'user', content: 'Please give one action.' }))
    expect(trajectory.steps.slice(2).map(({ parts }) => parts.map((part) => part.actor))).toEqual([
      ['agent_message'],
      ['system'],
    ])
  })

  test.each([
    [FENCE, 'Command not executed. The user rejected it: no.'],
    [FENCE, 'The user added a new task: also that.'],
    ['I think.', 'Interrupted by user: do that.'],
  ])('behind %j takes %j for the words of a person', (content, words) => {
    const trajectory = read(run({ role: 'assistant', content }, { role: 'user', content: words }))
    expect(trajectory.steps.at(-1)?.parts.map((part) => part.actor)).toEqual(['user'])
  })

  test('since 2.0 may act by tool calls, with the output in JSON, and ends with an exit', () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }]
    const extra = { actions: [{ command: 'ls', tool_call_id: 'c' }] }
    const trajectory = read(
      run(
        { role: 'assistant', content: 'I look.', tool_calls: calls, extra },
        { role: 'tool', tool_call_id: 'c', content: '{"returncode":0,"output":"README"}', extra: {} },
        { role: 'exit', content: 'patch', extra: { exit_status: 'Submitted' } },
      ),
    )
    expect(partsOf(trajectory, 2)).toEqual([
      ['agent_message', 'message', '/messages/2/content', 'I look.'],
      ['agent_action', 'bash.command', '/messages/2/tool_calls/0/function/arguments#/command', 'ls'],
      ['tool_output', 'bash.returncode', '/messages/3/content#/returncode', '0'],
      ['tool_output', 'bash.output', '/messages/3/content#/output', 'README'],
    ])
    expect(partsOf(trajectory, 3)).toEqual([['system', 'exit', '/messages/4/content', 'patch']])
    expect(trajectory.warnings).toEqual([])
  })

  test('may note its actions where its words have another form', () => {
    const extra = { actions: [{ command: 'ls' }, { action: 'x' }] }
    const trajectory = read(
      run({ role: 'assistant', content: '<run>ls</run>', extra }, { role: 'user', content: OUTPUT }),
    )
    expect(trajectory.steps[2]?.parts.map((part) => part.actor)).toEqual([
      'agent_message',
      'agent_action',
      'tool_output',
    ])
    expect(pathsOf(trajectory.warnings)).toEqual(['/messages/2/extra/actions/1/command'])
  })

  test.each<[string, object, string]>([
    ['messages that are text', { trajectory_format: 'mini-swe-agent-1', messages: 'x' }, '/messages'],
    ['no messages', { trajectory_format: 'mini-swe-agent-1', messages: [] }, '/messages'],
    ['a message that is text', { trajectory_format: 'mini-swe-agent-1', messages: ['x'] }, '/messages/0'],
  ])('is refused with %s', (_, document, path) => {
    expect(pathsOf(refuse(document))).toEqual([path])
  })
})

test.each([
  ['ls', '/messages/0/extra/actions/0', 'must be an object, not string; not read'],
  [{}, '/messages/0/extra/actions/0/command', 'must be text, not null; not read'],
  [{ command: 7 }, '/messages/0/extra/actions/0/command', 'must be text, not number; not read'],
])('a noted action that is %j is warned of at its place', (action, path, message) => {
  const messages = [{ role: 'assistant', content: 'x', extra: { actions: [action] } }]
  const { warnings } = read({ trajectory_format: 'mini-swe-agent-1.1', messages })
  expect(warnings).toContainEqual({ path, message })
})
