import { describe, expect, test } from 'vitest'
import { atif, read, textAt } from './make.ts'

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
const LS: [string, string][] = [
  ['agent_action', 'ls'],
  ['tool_output', 'a'],
]
const SPEECH = 'I look.\n'
const ANSWERED = {
  ...observed('a'),
  tool_calls: [{ tool_call_id: 'a', function_name: 'bash', arguments: { command: 'ls' } }],
}

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
  test.each<[string, string, string[]]>([
    ['a fence', '```bash\nmake x\n```', ['agent_action executes:shell make x\n']],
    ['a fence of Python', '```python\nrun()\n```', ['agent_action executes:code run()\n']],
    ['execute_bash', '<execute_bash>\nmake x\n</execute_bash>', ['agent_action executes:shell \nmake x\n']],
    ['execute_bash that was cut off', '<execute_bash>make x', ['agent_action executes:shell make x']],
    ['execute_ipython', '<execute_ipython>run()</execute_ipython>', ['agent_action executes:code run()']],
    ['ReAct', 'Action: bash\nAction Input: make x', ['agent_action executes:shell make x']],
    [
      'ReAct with JSON',
      'Action: bash\nAction Input: {"command": "make \\"x\\"", "description": "d"}',
      ['agent_action executes:shell make "x"', 'agent_action describes:null d'],
    ],
    [
      'ReAct with an observation that it made up',
      'Action: bash\nAction Input: make x\nObservation: rotated',
      ['agent_action executes:shell make x', 'agent_message Observation: rotated'],
    ],
    ['ReAct without an input', 'Action: rotate_key', ['agent_action unknown:null Action: rotate_key']],
    [
      'Cline',
      '<execute_command>\n<command>make x</command>\n<requires_approval>false</requires_approval>\n</execute_command>',
      ['agent_action executes:shell make x', 'agent_action describes:null false'],
    ],
    [
      'Cline that writes a file which holds tags',
      '<write_to_file>\n<path>a</path>\n<content>\n<p>b</content></p>\n</content>\n</write_to_file>',
      ['agent_action writes:null a', 'agent_action writes:null <p>b</content></p>'],
    ],
    [
      'Cline with a tag that nobody knows',
      '<execute_command><command>ls</command>rotate<odd>x</odd></execute_command>',
      ['agent_action executes:shell ls', 'agent_action unknown:null rotate', 'agent_action unknown:null x'],
    ],
    [
      'terminus in XML',
      '<commands>\n<keystrokes duration="0.1">make x\n</keystrokes>\n</commands>',
      ['agent_action executes:keystrokes make x\n', 'agent_message \n</commands>'],
    ],
    [
      'terminus-1',
      '{"state_analysis":"a","commands":[{"keystrokes":"make x\\n","is_blocking":true}],"is_task_complete":false}',
      ['agent_message a', 'agent_action executes:keystrokes make x\n', 'agent_action describes:null true'],
    ],
    [
      'function tags',
      '<function=execute_bash>\n<parameter=command>\nmake x\n</parameter>\n</function>',
      ['agent_action executes:shell make x'],
    ],
    [
      'invoke tags',
      '<function_calls>\n<invoke name="bash">\n<parameter name="command">make x</parameter>\n</invoke>\n</function_calls>',
      ['agent_action executes:shell make x', 'agent_message \n</function_calls>'],
    ],
    [
      'argument tags',
      '<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>make x</arg_value>\n</tool_call>',
      ['agent_action executes:shell make x'],
    ],
    [
      'an action as JSON',
      '{"thought": "t", "action": "terminal", "action_input": "make x"}',
      ['agent_message t', 'agent_action executes:shell make x'],
    ],
    [
      'a tool as JSON',
      '{"tool": "bash", "tool_input": {"command": "make x", "description": "d"}}',
      ['agent_action executes:shell make x', 'agent_action describes:null d'],
    ],
    [
      'AutoGPT',
      '{"thoughts": {"text": "t"}, "command": {"name": "bash", "args": {"command": "make x"}}}',
      ['agent_message t', 'agent_action executes:shell make x'],
    ],
    [
      'Hermes',
      '<tool_call>\n{"name": "bash", "arguments": {"command": "make x"}}\n</tool_call>',
      ['agent_action executes:shell make x'],
    ],
  ])('is an act: %s', (_, act, expected) => {
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

  test.each<[string, object]>([
    ['a fence in a chat with people', chat('Fix it.', '```bash\nmake x\n```', 'Thanks, that worked.')],
    ['a fence without a name, which a tool answers', atif([{ message: '```\nmake x\n```', ...observed('x') }])],
    ['a tag that nobody announced', chat('Fix it.', 'Use <execute_bash>make x</execute_bash>', 'Fine.')],
    [
      'an answer of terminus, of which nothing came back',
      atif([{ message: '{"commands":[{"keystrokes":"make x"}]}' }]),
    ],
    ['ReAct in a chat with people', chat('Fix it.', 'Action: bash\nAction Input: make x', 'No.')],
    [
      'a fence that was answered in a run that also acts by tool calls',
      atif([{ message: '```bash\nrotate-key\n```', ...observed('x') }, ANSWERED, ANSWERED]),
    ],
    [
      'a form that its prompt announces not, answered as by a harness, in a run that also acts by tool calls',
      list(
        ['user', 'Fix it.'],
        ['agent_message', 'Action: bash\nAction Input: make x'],
        ['user', 'Observation: made'],
        ...LS,
        ...LS,
      ),
    ],
  ])('is speech, is marked and warned about: %s', (_, document) => {
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

  test.each<[string, object]>([
    ['a fence as the last word', chat('Fix it.', '```python\nprint(1)\n```')],
    [
      'an answer that terminus turned down',
      atif(
        [{ message: '{"commands":[{"keystrokes":"ls"}]}', ...observed('Previous response had parsing errors: x') }],
        { agent: { name: 'terminus-2' } },
      ),
    ],
    ['the turn of a call', list(['user', 'Fix it.'], ['agent_message', '```bash\nmake x\n```'], ...LS)],
    [
      'words to people, in a run that acts by tool calls',
      list(
        ['user', 'Fix it.'],
        ...LS,
        ...LS,
        ['agent_message', 'Run this:\n```bash\nmake x\n```'],
        ['user', 'Thanks.'],
      ),
    ],
    [
      'the last words of a run that acts by tool calls, in a form that its prompt announces',
      list(['user', 'Use <execute_bash>.'], ...LS, [
        'agent_message',
        'Do not use <execute_bash>make x</execute_bash>.',
      ]),
    ],
    ['the last words of a run', chat('Fix it.', 'I did not run make x.')],
  ])('is not seen in %s', (_, document) => {
    const { steps, warnings } = read(document)
    const messages = steps.flatMap(({ parts }) => parts).filter(({ actor }) => actor === 'agent_message')
    expect(messages.map(({ act }) => act)).toEqual(messages.map(() => null))
    expect(warnings).toEqual([])
  })
})
