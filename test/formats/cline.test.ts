import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { holds as holdsIn, pathsOf, read } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const text = (words: string): Row => ({ type: 'text', text: words })
const ENVIRONMENT = '<environment_details>\n# VSCode Visible Files\nREADME.md\n</environment_details>'
const user = (...blocks: unknown[]): Row => ({
  role: 'user',
  content: [...blocks, text(ENVIRONMENT)],
  ts: 1767225600000,
})
const agent = (...blocks: unknown[]): Row => ({
  role: 'assistant',
  content: blocks,
  ts: 1767225601000,
  modelInfo: { modelId: 'm', providerId: 'p' },
})

const holds = (records: readonly Row[]): Trajectory => holdsIn({ records })

const WORDS = [
  user(text('<task>\nRun the tests.\n</task>')),
  agent(
    text(
      '<thinking>Look.</thinking>I look.\n<execute_command>\n<command>cat README.md\nls</command>\n<requires_approval>false</requires_approval>\n</execute_command>',
    ),
  ),
  user(text("[execute_command for 'cat README.md\nls'] Result:"), text('Command executed.\nOutput:\nRun npm test.')),
  agent(text('<write_to_file>\n<path>a.txt</path>\n<content>\nhello\n</content>\n</write_to_file>')),
  user(text("[write_to_file for 'a.txt'] Result:"), text('The user denied this operation.')),
  agent(text('<attempt_completion>\n<result>Done.</result>\n</attempt_completion>')),
]

describe('cline', () => {
  test('tools that are called in words: acts, answers of tools, what the editor adds, what a person says', () => {
    const trajectory = holds(WORDS)
    expect(trajectory.format).toBe('cline')
    expect(told(trajectory).flat()).toEqual([
      'user: <task>\nRun the tests.\n</task>',
      `system: ${ENVIRONMENT}`,
      'agent_message: <thinking>Look.</thinking>I look.\n',
      'agent_action: cat README.md\nls',
      'agent_action: false',
      'tool_output: Command executed.\nOutput:\nRun npm test.',
      `system: ${ENVIRONMENT}`,
      'agent_action: a.txt',
      'agent_action: hello',
      'tool_output: The user denied this operation.',
      `system: ${ENVIRONMENT}`,
      'agent_message: Done.',
    ])
    const acts = trajectory.steps.flatMap(({ parts }) => parts).flatMap(({ act }) => act ?? [])
    expect(acts.map(({ role, call }) => [role, call.tool, call.outcome])).toEqual([
      ['executes', 'execute_command', 'ran'],
      ['describes', 'execute_command', 'ran'],
      ['writes', 'write_to_file', 'interrupted'],
      ['writes', 'write_to_file', 'interrupted'],
    ])
    expect(trajectory).toMatchObject({ agent: { name: 'cline', model: 'm' }, warnings: [], unread: { records: 0 } })
  })

  test('tools that are called as the provider has it', () => {
    const trajectory = holds([
      user(text('<task>\nRun the tests.\n</task>')),
      agent({ type: 'thinking', thinking: 'Hm.', signature: 's' }, text('I look.'), {
        type: 'tool_use',
        id: 't',
        name: 'execute_command',
        input: { command: 'ls' },
        call_id: 'r',
      }),
      user({ type: 'tool_result', tool_use_id: 't', content: [text('a.txt')] }, text('Be quick.')),
    ])
    expect(told(trajectory)).toEqual([
      ['user: <task>\nRun the tests.\n</task>'],
      [`system: ${ENVIRONMENT}`],
      ['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: ls', 'tool_output: a.txt'],
      ['user: Be quick.'],
      [`system: ${ENVIRONMENT}`],
    ])
    expect(trajectory.warnings).toEqual([])
  })

  test('Roo Code: its summary is the agent’s, a mark of a cut the harness’s, its second form is read', () => {
    const details = '<environment_details>\n<slug>code</slug>\n</environment_details>'
    const messages = [
      { role: 'user', content: [text('<user_message>\nGo.\n</user_message>'), text(details)] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'read_file', input: { path: 'a' } }],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'x', toolName: 'read_file', output: { type: 'text', value: 'text of a' } },
        ],
      },
      { role: 'user', content: [text('What was done: a was read.')], isSummary: true, condenseId: 'c' },
      { role: 'user', content: 'Earlier messages were cut.', isTruncationMarker: true },
    ]
    const document = { version: 2, messages }
    const trajectory = read(document)
    expect(trajectory).toMatchObject({ format: 'cline', agent: { name: 'roo-code' }, warnings: [] })
    expect(told(trajectory)).toEqual([
      ['user: <user_message>\nGo.\n</user_message>'],
      [`system: ${details}`],
      ['agent_action: a', 'tool_output: text of a'],
      ['agent_message: What was done: a was read.'],
      ['system: Earlier messages were cut.'],
    ])
  })

  test('an unknown member is warned about; a chat without Cline’s marks is not its', () => {
    expect(pathsOf(holds([...WORDS, { role: 'assistant', content: 'Bye.', odd: 1 }]).warnings)).toEqual([
      '/records/6/odd',
    ])
    expect(
      read({
        records: [
          { role: 'user', content: '<task>Go.</task>' },
          { role: 'assistant', content: 'Yes.' },
        ],
      }).format,
    ).toBe('openai-chat')
  })

  test('what stands behind the head of an answer is the tool’s, whatever it printed', () => {
    const printed = '<environment_details>\nsecret\n</environment_details>'
    const chat = [...WORDS.slice(0, 2), user(text("[execute_command for 'cat README.md\nls'] Result:"), text(printed))]
    expect(told(holds(chat)).flat().slice(-2)).toEqual([`tool_output: ${printed}`, `system: ${ENVIRONMENT}`])
  })
})
