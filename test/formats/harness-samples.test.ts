import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { holds, oddIn, pathsOf, read, sample } from './make.ts'
import { told } from './told.ts'

/** Readers of Cline and Roo Code, Docent, OpenClaw and OpenCode, by samples that the fuzzer begins with: written after the published shapes. */

interface Sample {
  readonly seed: string
  /** The steps that a sample is read as. */
  readonly told: readonly (readonly string[])[]
  /** `role outcome` of each act. */
  readonly acts: readonly string[]
  /** Places of the warnings. */
  readonly warned?: readonly string[]
  readonly unread?: { readonly records: number; readonly actions: number }
  readonly agent: Trajectory['agent']
  readonly pictures?: number
}

const CLINE = { name: 'cline', model: 'm' }
const OPENCODE = { name: 'opencode', model: 'p/m' }
const OPENCLAW = { name: 'openclaw', model: 'm' }
const DOCENT = { name: null, model: 'm' }
const EDITOR = ['system: <environment_details>\n# VSCode Visible Files\nREADME.md\n</environment_details>']
const TASK = ['user: <task>\nRun the tests.\n</task>']
const PRINTED = '<environment_details>\nsecret\n</environment_details>'
const LOOKS = [
  ...['agent_message: <thinking>Look.</thinking>I look.\n', 'agent_action: cat README.md\nls', 'agent_action: false'],
]
const WORDS = [
  ...[TASK, EDITOR, [...LOOKS, 'tool_output: Command executed.\nOutput:\nRun npm test.'], EDITOR],
  ...[['agent_action: a.txt', 'agent_action: hello', 'tool_output: The user denied this operation.'], EDITOR],
  ['agent_message: Done.'],
]
const IN_WORDS = ['executes answered', 'describes answered', 'writes interrupted', 'writes interrupted']
const ASKED = ['user: Run the tests.', 'system: Called the Read tool', 'user: [image: a.png]']
const MADE = [
  [
    ...['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: cat README.md', 'agent_action: Reads it'],
    'tool_output: Run npm test.',
  ],
  ['agent_action: /w/a', 'agent_action: x', 'agent_message: Done.', 'tool_output: Wrote.'],
]
const RAN = ['executes ran', 'describes ran', 'writes ran', 'writes ran']
const TRANSCRIPT = [
  ...[['system: Be good.'], ['user: Run the tests.']],
  ['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: ls', 'tool_output: no', 'tool_output: denied'],
]

const SAMPLES: Readonly<Record<string, Sample>> = {
  'cline: tools that are called in words, answers of tools, what the editor adds, what a person says': {
    ...{ seed: 'cline/d921c64f', agent: CLINE, acts: IN_WORDS },
    told: WORDS,
  },
  'cline: tools that are called as the provider has it': {
    ...{ seed: 'cline/4ca3bdab', agent: CLINE, acts: ['executes answered'] },
    told: [
      ...[TASK, EDITOR, ['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: ls', 'tool_output: a.txt']],
      ...[['user: Be quick.'], EDITOR],
    ],
  },
  'cline: what stands behind the head of an answer is the tool’s, whatever it printed': {
    ...{ seed: 'cline/printed', agent: CLINE, acts: ['executes answered', 'describes answered'] },
    told: [TASK, EDITOR, [...LOOKS, `tool_output: ${PRINTED}`], EDITOR],
  },
  'cline: of Roo Code a summary is the agent’s, a mark of a cut the harness’s, and its second form is read': {
    ...{ seed: 'cline/b77aab21', agent: { name: 'roo-code', model: null }, acts: ['reads answered'] },
    told: [
      ['user: <user_message>\nGo.\n</user_message>'],
      ['system: <environment_details>\n<slug>code</slug>\n</environment_details>'],
      ['agent_action: a', 'tool_output: text of a'],
      ['agent_message: What was done: a was read.'],
      ['system: Earlier messages were cut.'],
    ],
  },
  'docent: a run of one transcript': {
    ...{ seed: 'docent/dd23e565', agent: DOCENT, acts: ['executes failed'] },
    told: TRANSCRIPT,
  },
  'docent: a transcript by its name': {
    ...{ seed: 'docent/4cf75bcb', agent: DOCENT, acts: ['executes failed'] },
    told: TRANSCRIPT,
  },
  'docent: several transcripts stand one behind the other': {
    ...{ seed: 'docent/923e0b4f', agent: DOCENT, acts: ['executes failed'], warned: ['/transcripts'] },
    told: [...TRANSCRIPT, ['agent_message: Hi.']],
  },
  'openclaw: a session': {
    ...{ seed: 'openclaw/3b04c6f9', agent: OPENCLAW, acts: ['executes ran', 'reads failed'], pictures: 1 },
    told: [
      ['user: Run the tests.', 'user: [image: image/png]'],
      [
        ...['agent_reasoning: Hm.', 'agent_message: I look.', 'agent_action: cat README.md', 'agent_action: a'],
        ...['tool_output: Run npm test.', 'tool_output: no such file'],
      ],
      ['agent_message: Done.'],
    ],
  },
  'openclaw: what the user ran is no act; an answer that was cut is not carried out; summaries are the agent’s': {
    ...{ seed: 'openclaw/866c26be', agent: OPENCLAW, acts: ['executes cancelled'] },
    told: [
      ...[['user: ls', 'user: a'], ['agent_message: So far.'], ['system: Remember.']],
      ...[['agent_action: rm -rf x'], ['system: aborted']],
    ],
  },
  'openclaw: a call of an answer that was cut is not carried out, but where it brought something': {
    ...{ seed: 'openclaw/cut', agent: OPENCLAW, acts: ['executes cancelled', 'executes interrupted'] },
    told: [['agent_action: ls', 'agent_action: pwd', 'tool_output: /w']],
  },
  'openclaw: branches, unknown entries and answers without a call': {
    ...{ seed: 'openclaw/8df5dda8', agent: OPENCLAW, acts: ['unknown unknown'] },
    unread: { records: 2, actions: 2 },
    warned: [...['/records/3', '/records/3', '/records/4/message', '/records/2/message/content/0/text']],
    told: [['user: a'], ['agent_message: b'], ['tool_output: c']],
  },
  'opencode: an export, each request of the agent is a step': {
    ...{ seed: 'opencode/92a1f5e4', agent: OPENCODE, acts: RAN, pictures: 1 },
    told: [ASKED, ...MADE],
  },
  'opencode: the messages alone': {
    ...{ seed: 'opencode/586c9c54', agent: OPENCODE, acts: RAN, pictures: 1 },
    told: [ASKED, ...MADE],
  },
  'opencode: the lines that a run prints': {
    ...{ seed: 'opencode/e1d26c7a', agent: { name: 'opencode', model: null }, acts: RAN },
    told: [...MADE, ['system: Gone.']],
  },
  'opencode: a subagent in another session is unread; a summary is the agent’s; what is unknown is told': {
    ...{ seed: 'opencode/cdc88442', agent: OPENCODE, acts: ['delegates ran', 'describes ran', 'delegates ran'] },
    unread: { records: 2, actions: 1 },
    warned: ['/messages/1/parts/0/state/metadata/sessionId', '/messages/1/parts/1'],
    told: [
      ['user: d', 'user: Look.'],
      [
        ...['agent_action: Look.', 'agent_action: d', 'agent_action: general', 'agent_message: All so far.'],
        'tool_output: Seen.',
      ],
      ['system: Aborted'],
    ],
  },
}

describe('a sample is read: ', () => {
  test.each(Object.entries(SAMPLES))(
    '%s',
    (_, { seed, agent, acts, warned = [], unread, pictures = 0, ...expected }) => {
      const [format = '', name = ''] = seed.split('/')
      const trajectory = holds(sample(format, name))
      const parts = trajectory.steps.flatMap((step) => step.parts)
      expect(told(trajectory)).toEqual(expected.told)
      expect(parts.flatMap(({ act }) => (act === null ? [] : [`${act.role} ${act.call.outcome}`]))).toEqual(acts)
      expect(pathsOf(trajectory.warnings)).toEqual(warned)
      expect(trajectory).toMatchObject({ format, agent, unread: unread ?? { records: 0, actions: 0 } })
      expect(parts.filter(({ picture }) => picture !== undefined)).toHaveLength(pictures)
    },
  )

  test.each([
    ['pending', '18465d71', 'unknown cancelled'],
    ['running', '93606312', 'executes interrupted'],
    ['rejected', '363d74af', 'executes rejected'],
    ['forbidden', 'd98e9a14', 'executes rejected'],
    ['aborted', '954d0707', 'executes interrupted'],
    ['failed', '85cb27d6', 'executes failed'],
    ['ended with a code', '722a6726', 'executes failed'],
  ])('a call of opencode that is %s', (_, seed, expected) => {
    const acts = holds(sample('opencode', seed)).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act ?? []))
    expect(acts.map(({ role, call }) => `${role} ${call.outcome}`)).toEqual([expected])
  })
})

test('transcripts of docent are named, and each is a conversation of its own', () => {
  const { steps } = holds(sample('docent', '923e0b4f'))
  expect(steps.map(({ id, name, agent, conversation }) => [id, name, agent, conversation])).toEqual([
    [1, 'transcript 1#1', undefined, '/transcripts/0'],
    [2, 'transcript 1#2', undefined, '/transcripts/0'],
    [3, 'transcript 1#3', 'transcript 1', '/transcripts/0'],
    [4, 'helpers#1', 'helpers', '/transcripts/1'],
  ])
})

test.each([
  ['docent/dd23e565', '"content":"Be good."', '"content":5', '/transcripts/0/messages/0/content'],
  ['opencode/85cb27d6', '"text":"Go."', '"text":1', '/messages/0/parts/0/text'],
])('an odd value in %s is unread at its place', (seed, from, to, path) => {
  const [format = '', name = ''] = seed.split('/')
  const text = JSON.stringify(sample(format, name))
  expect(text).toContain(from)
  expect(oddIn(JSON.parse(text.replace(from, to)))).toEqual([path])
})

test('a chat without the marks of Cline is none of Cline', () => {
  const records = [
    { role: 'user', content: '<task>Go.</task>' },
    { role: 'assistant', content: 'Yes.' },
  ]
  expect(read({ records }).format).toBe('openai-chat')
})
