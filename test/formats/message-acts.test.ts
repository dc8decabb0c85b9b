import { describe, expect, test } from 'vitest'
import { readTables } from '../tables.ts'
import { atif, read, textAt } from './make.ts'

interface Tables {
  readonly acts: [form: string, words: string, parts: string[]][]
  readonly doubts: [name: string, document: object][]
  readonly speech: [name: string, document: object][]
}
const TABLES = readTables<Tables>('formats/tables/message-acts')

/** Acts that stand in what the agent says: found where it is sure, marked and warned about where it is not. */

const observed = (content: string): object => ({ observation: { results: [{ content }] } })
const chat = (...contents: string[]): object => ({
  messages: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
})
const list = (...steps: [string, string][]): object => ({ steps: steps.map(([actor, text]) => ({ actor, text })) })

/** `actor role:language text` of every part behind the first step; checks every path on the way. */
function told(document: unknown): string[] {
  const { steps } = read(document)
  const parts = steps.flatMap((step) => step.parts)
  for (const part of parts) expect(textAt(document, part.path)).toBe(part.text)
  return parts
    .filter(({ actor }) => actor.startsWith('agent_'))
    .map(({ actor, act, text }) => [actor, act === null ? '' : ` ${act.role}:${act.language}`, ` ${text}`].join(''))
}
const SPEECH = 'I look.\n'
/** A chat whose first turn is a native call. */
const chatThatActs = (...contents: string[]): object => ({
  messages: [
    { role: 'user', content: 'Fix it.' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'src' },
    ...contents.map((content, index) => ({ role: index % 2 === 0 ? 'assistant' : 'user', content })),
  ],
})

describe('an act inside a message that tool output answers', () => {
  test.each(TABLES.acts)('is an act: %s', (_, act, expected) => {
    const [, opening = ''] = /^(<(?:commands|function_calls)>\n)?/.exec(act) ?? []
    const spoken = [`agent_message ${SPEECH}${opening}`]
    for (const document of [
      atif([{ message: SPEECH + act, ...observed('out') }]),
      list(['agent_message', SPEECH + act], ['tool_output', 'out']),
      chat('Fix it.', SPEECH + act, 'Observation: out'),
    ]) {
      expect(told(document)).toEqual([...spoken, ...expected])
      expect(read(document).warnings.filter(({ message }) => message.includes('speech'))).toEqual([])
    }
  })

  test('is answered by tool output, also in a chat', () => {
    const { steps } = read(chat('Fix it.', '```bash\nls\n```', 'Observation: out'))
    expect(steps.at(-1)?.parts.map(({ actor }) => actor)).toEqual(['tool_output'])
  })

  test('is found in a form that the prompt announces, before it was answered', () => {
    expect(told(chat('Use <execute_bash> to act.', '<execute_bash>ls</execute_bash>'))).toEqual([
      'agent_action executes:shell ls',
    ])
  })

  test.each([
    ['make x', 'executes:shell'],
    ['search_dir "make x" src', 'searches:null'],
  ])(
    'is found in a block without a name where the prompt asks for a discussion and a command: %s',
    (command, meaning) => {
      const answer = `DISCUSSION\nNext.\n\n\`\`\`\n${command}\n\`\`\``
      const document = chat('Use two fields; discussion and command.', answer, 'made\n(Open file: n/a)\nbash-$')
      expect(told(document)).toEqual(['agent_message DISCUSSION\nNext.\n\n', `agent_action ${meaning} ${command}\n`])
    },
  )

  test('has the arguments that its form does not know, as no one knows what', () => {
    const yaml = 'action: bash\nargs:\n  command: make x'
    expect(told(chat('Fix it.', yaml, 'Observation: made'))).toEqual([
      ...['agent_action executes:null action: bash', 'agent_action unknown:null \nargs:\n  command: make x'],
    ])
  })

  test.each([
    // A program can print these words, too.
    ['The user denied this operation.', 'interrupted'],
    ['Previous response had parsing errors:', 'answered'],
    ["[execute_command for 'ls'] Result:\nThe user denied this operation.", 'interrupted'],
    ["[execute_command for 'ls'] Result:\nREADME", 'answered'],
  ])('has the outcome that its harness says: %s', (answer, outcome) => {
    const document = chat('Use <execute_command>.', '<execute_command><command>ls</command></execute_command>', answer)
    const acts = read(document).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act ?? []))
    expect(acts.map(({ call }) => call.outcome)).toEqual([outcome])
  })
})

describe('a message that only may hold an act', () => {
  const doubts = (document: unknown): unknown[] =>
    read(document).steps.flatMap(({ parts }) =>
      parts.flatMap(({ actor, act }) => (act === null ? [] : [actor, act.role, act.call.tool])),
    )

  test.each(TABLES.doubts)('is speech, is marked and warned about: %s', (_, document) => {
    expect(doubts(document).slice(0, 3)).toEqual(['agent_message', 'unknown', 'message'])
    const told = read(document).warnings.filter(({ message }) => message.includes('reads like a tool call'))
    expect(told).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['tools', atif([{ message: 'RUN make x', ...observed('made') }])],
    ['a user', chat('Fix it.', 'execute("make x")', 'made')],
    [
      'a user, in a run that acts once by a tool call',
      chatThatActs('<sh>make x</sh>', 'made', 'RUN: y', 'done', 'Ok.'),
    ],
  ])('is marked and warned about in a run without a known form that %s answer, whatever the words', (_, document) => {
    expect(doubts(document).filter((one) => one === 'agent_message').length).toBeGreaterThan(0)
    const told = read(document).warnings.filter(({ message }) => message.includes('may stand in its words'))
    expect(told).toHaveLength(1)
  })

  test('is marked in a step list whose message calls itself the summary of a compaction', () => {
    const message = { actor: 'agent_message', name: 'compact_summary', text: '<execute_bash>make x</execute_bash>' }
    const steps = [{ actor: 'user', text: 'Fix it.' }, message, { actor: 'user', text: 'Fine.' }]
    expect(doubts({ steps })).toEqual(['agent_message', 'unknown', 'message'])
  })

  test('is no act where the run’s other messages have a form of their own', () => {
    const call = ['<execute_bash>ls</execute_bash>', 'Observation: a']
    expect(doubts(chat('Use <execute_bash>.', 'I will not run make x.', 'Go on.', ...call)).slice(0, 2)).toEqual([
      ...['agent_action', 'executes'],
    ])
  })

  test.each(TABLES.speech)('is not seen in %s', (_, document) => {
    const { steps, warnings } = read(document)
    const messages = steps.flatMap(({ parts }) => parts).filter(({ actor }) => actor === 'agent_message')
    expect(messages.map(({ act }) => act)).toEqual(messages.map(() => null))
    expect(warnings).toEqual([])
  })
})
