import { expect, test } from 'vitest'
import { read } from './make.ts'

const COPILOT = {
  records: [
    {
      type: 'session.start',
      data: { sessionId: 's', producer: 'copilot-agent' },
      id: 'a',
      timestamp: '2026-05-07T06:18:14Z',
    },
    { type: 'session.model_change', data: { newModel: 'gpt-5.4' }, id: 'b' },
    { type: 'system.message', data: { role: 'system', content: 'You are the Copilot CLI.' } },
    {
      type: 'user.message',
      data: { content: 'List the files.', transformedContent: '<now>noon</now> List the files.' },
      id: 'c',
    },
    { type: 'assistant.turn_start', data: { turnId: '0' } },
    {
      type: 'assistant.message',
      data: {
        content: 'I look.',
        reasoningText: 'ls shows them.',
        toolRequests: [{ toolCallId: 't1', name: 'bash', arguments: { command: 'ls', description: 'List' } }],
      },
      id: 'd',
    },
    {
      type: 'tool.execution_start',
      data: { toolCallId: 't1', toolName: 'bash', arguments: '{"command":"ls","description":"List"}' },
    },
    {
      type: 'tool.execution_complete',
      data: { toolCallId: 't1', success: true, result: { content: 'README.md\n<exited with exit code 0>' } },
    },
    { type: 'tool.execution_start', data: { toolCallId: 't2', toolName: 'bash', arguments: { command: 'make' } } },
    {
      type: 'tool.execution_complete',
      data: {
        toolCallId: 't2',
        success: true,
        result: { content: 'no rule\n<shellId: 1 completed with exit code 2>' },
      },
    },
    {
      type: 'tool.execution_start',
      data: { toolCallId: 't3', toolName: 'create', arguments: { path: 'x', file_text: 'y' } },
    },
    {
      type: 'tool.execution_complete',
      data: { toolCallId: 't3', success: false, error: { message: 'Denied by a hook', code: 'denied' } },
    },
    { type: 'session.compaction_complete', data: { success: true, summaryContent: 'The files were listed.' } },
    { type: 'assistant.message', data: { content: 'Done.', toolRequests: [] } },
    { type: 'assistant.message_delta', data: { deltaContent: 'Do' } },
    { type: 'session.shutdown', data: { shutdownType: 'routine' } },
  ],
}

test('Copilot CLI: speakers, calls once, outcomes, a compaction', () => {
  const run = read(COPILOT)
  expect(run).toMatchObject({
    format: 'copilot-cli',
    agent: { name: 'copilot-cli', model: 'gpt-5.4' },
    compacted: true,
  })
  expect(run.unread).toEqual({ records: 0, actions: 0 })
  const parts = run.steps.flatMap((step) => step.parts)
  expect(parts.map(({ actor, text, act }) => [actor, text, act?.call.outcome])).toEqual([
    ['system', 'You are the Copilot CLI.', undefined],
    ['user', 'List the files.', undefined],
    ['system', '<now>noon</now> List the files.', undefined],
    ['agent_reasoning', 'ls shows them.', undefined],
    ['agent_message', 'I look.', undefined],
    ['agent_action', 'ls', 'ran'],
    ['agent_action', 'List', 'ran'],
    ['tool_output', 'README.md\n<exited with exit code 0>', undefined],
    ['agent_action', 'make', 'failed'],
    ['tool_output', 'no rule\n<shellId: 1 completed with exit code 2>', undefined],
    ['agent_action', 'x', 'rejected'],
    ['agent_action', 'y', 'rejected'],
    ['tool_output', 'Denied by a hook', undefined],
    ['agent_message', 'The files were listed.', undefined],
    ['agent_message', 'Done.', undefined],
  ])
  expect(parts.find(({ text }) => text === 'ls')).toMatchObject({
    path: '/records/5/data/toolRequests/0/arguments/command',
    act: { role: 'executes', language: 'shell' },
  })
})

const CONTENTS = [
  { role: 'user', parts: [{ text: 'What is the weather?' }] },
  {
    role: 'model',
    parts: [
      { text: 'I think.', thought: true },
      { functionCall: { name: 'weather', args: { city: 'Paris' } } },
      { functionCall: { name: 'weather', args: { city: 'Rome' } } },
    ],
  },
  {
    role: 'user',
    parts: [
      { functionResponse: { name: 'weather', response: { output: '21' } } },
      { functionResponse: { name: 'weather', response: { output: '28' } } },
    ],
  },
]

test.each<[string, object, string]>([
  ['a request', { systemInstruction: { parts: [{ text: 'Be short.' }] }, contents: CONTENTS }, ''],
  [
    'an exchange',
    {
      request: { systemInstruction: { parts: [{ text: 'Be short.' }] }, contents: CONTENTS },
      response: {
        candidates: [{ content: { role: 'model', parts: [{ text: 'Rome is warmer.' }] } }],
        modelVersion: 'g-3',
      },
    },
    '/request',
  ],
])('Gemini’s API: %s', (name, document, base) => {
  const run = read(document)
  expect(run).toMatchObject({ format: 'gemini-contents', unread: { records: 0 } })
  const parts = run.steps.flatMap((step) => step.parts)
  expect(parts.map(({ actor, text }) => [actor, text])).toEqual([
    ['system', 'Be short.'],
    ['user', 'What is the weather?'],
    ['agent_reasoning', 'I think.'],
    ['agent_action', 'Paris'],
    ['agent_action', 'Rome'],
    ['tool_output', '21'],
    ['tool_output', '28'],
    ...(name === 'an exchange' ? [['agent_message', 'Rome is warmer.']] : []),
  ])
  expect(parts.flatMap(({ act }) => act?.call.outcome ?? [])).toEqual(['ran', 'ran'])
  expect(parts[3]?.path).toBe(`${base}/contents/1/parts/1/functionCall/args/city`)
})

test('an array of contents is read; an array of the AI SDK’s messages is not taken for one', () => {
  expect(read({ records: CONTENTS }).format).toBe('gemini-contents')
  const ui = [
    { id: 'a', role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
  ]
  expect(read({ records: ui }).format).toBe('vercel-ui')
})

const qwen = (type: string, parts: readonly object[], more: object = {}) => ({
  ...{
    uuid: type,
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-03-04T10:00:00Z',
    type,
    cwd: '/app',
    version: '0.6',
  },
  ...(parts.length > 0 && { message: { role: type === 'assistant' ? 'model' : 'user', parts } }),
  ...more,
})

test('Qwen Code: records of Gemini messages, with outcomes of the harness', () => {
  const call = (id: string, command: string) => ({ functionCall: { id, name: 'run_shell_command', args: { command } } })
  const answer = (id: string, output: string) => ({
    functionResponse: { id, name: 'run_shell_command', response: { output } },
  })
  const run = read({
    records: [
      qwen('user', [{ text: 'Build.' }]),
      qwen('assistant', [{ text: 'I build.' }, call('c1', 'make')], { model: 'qwen3-coder-plus' }),
      qwen('tool_result', [answer('c1', 'built')], { toolCallResult: { callId: 'c1', status: 'success' } }),
      qwen('assistant', [call('c2', 'make deploy')]),
      qwen('tool_result', [answer('c2', 'no')], { toolCallResult: { callId: 'c2', status: 'cancelled' } }),
      qwen('system', [], { subtype: 'chat_compression', systemPayload: { info: {} } }),
      qwen('user', [{ text: 'Check the goal.' }], { subtype: 'goal_runtime', provenance: 'goal_runtime' }),
      qwen('assistant', [call('c3', 'make test')]),
      qwen('tool_result', [answer('c3', 'Command: make test\nExit Code: 2\nSignal: 0')], {
        toolCallResult: { callId: 'c3', status: 'success' },
      }),
      qwen('assistant', [{ text: 'Done.' }]),
    ],
  })
  expect(run).toMatchObject({ format: 'qwen-code', agent: { model: 'qwen3-coder-plus' }, compacted: true })
  const parts = run.steps.flatMap((step) => step.parts)
  expect(parts.map(({ actor, text, act }) => [actor, text, act?.call.outcome])).toEqual([
    ['user', 'Build.', undefined],
    ['agent_message', 'I build.', undefined],
    ['agent_action', 'make', 'ran'],
    ['tool_output', 'built', undefined],
    ['agent_action', 'make deploy', 'cancelled'],
    ['tool_output', 'no', undefined],
    ['system', 'Check the goal.', undefined],
    ['agent_action', 'make test', 'failed'],
    ['tool_output', 'Command: make test\nExit Code: 2\nSignal: 0', undefined],
    ['agent_message', 'Done.', undefined],
  ])
  expect(parts[2]?.act).toMatchObject({ role: 'executes', language: 'shell' })
})

const textsOf = (document: object) => read(document).steps.flatMap(({ parts }) => parts.map(({ text }) => text))
const outcomesOf = (document: object) =>
  read(document).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act?.call.outcome ?? []))
const start = (id: unknown, command: string) => ({
  type: 'tool.execution_start',
  data: { toolCallId: id, toolName: 'bash', arguments: { command } },
})
const said = { type: 'assistant.message', data: { content: 'Done.' } }

test('Copilot CLI: no call is taken for another by its id alone', () => {
  const asked = (id: string, args: object | undefined) => ({
    type: 'assistant.message',
    data: { content: '', toolRequests: [{ toolCallId: id, name: 'bash', arguments: args }] },
  })
  const records = [
    ...[asked('a', { command: 'ls' }), start('a', 'ls'), start('a', 'rm -r x')],
    ...[asked('b', undefined), start('b', 'make deploy'), start(undefined, 'one'), start(undefined, 'two'), said],
  ]
  expect(textsOf({ records })).toEqual(['ls', 'rm -r x', 'bash', 'make deploy', 'one', 'two', 'Done.'])
})

test('Copilot CLI: a subagent’s words have its name, reasoning is shown once, an error stands beside a result', () => {
  const records = [
    { type: 'assistant.reasoning', data: { content: 'Only here.' } },
    { type: 'assistant.reasoning', data: { content: 'Twice.' } },
    { type: 'assistant.message', data: { content: 'x', reasoningText: 'Twice.' } },
    start('a', 'ls'),
    {
      type: 'tool.execution_complete',
      data: { toolCallId: 'a', success: false, error: 'no', result: { content: 'part' } },
    },
    { type: 'assistant.message', data: { content: 'Sub.', parentToolCallId: 't' } },
    { type: 'session.info', data: { message: 'for the screen' } },
  ]
  expect(textsOf({ records })).toEqual(['Only here.', 'Twice.', 'x', 'ls', 'no', 'part', 'Sub.'])
  expect(read({ records }).steps.at(-1)?.agent).toBe('subagent of t')
})

test('Gemini’s API: contents without roles, beside messages, with failures and code', () => {
  const [first] = CONTENTS
  expect(textsOf({ messages: [{ role: 'user', content: 'other' }], contents: CONTENTS })).toContain('Rome')
  expect(textsOf({ contents: [{ parts: [{ text: 'No role.' }] }, ...CONTENTS] })[0]).toBe('No role.')
  const failed = [
    ...[first, { role: 'model', parts: [{ functionCall: { id: 'x', name: 'pay', args: { to: 'A' } } }] }],
    { role: 'user', parts: [{ functionResponse: { name: 'pay', response: { error: 'no money' } } }] },
    { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'print(1)' } }] },
    { role: 'model', parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }] },
  ]
  expect(outcomesOf({ contents: failed })[0]).toBe('failed')
  const parts = read({ contents: failed }).steps.flatMap((step) => step.parts)
  expect(parts.find(({ text }) => text === 'print(1)')?.actor).toBe('agent_action')
  expect(parts.find(({ text }) => text === '1')?.actor).toBe('tool_output')
  const answers = Array.from({ length: 5 }, (_, n) => ({
    role: 'user',
    parts: [{ functionResponse: { name: 'gone', response: { output: `answer ${n} of a call that is not here` } } }],
  }))
  expect(read({ contents: [...CONTENTS, ...answers] }).unread.actions).toBe(5)
})

test('Qwen Code: an outcome holds for its own answer, and is no name of JavaScript’s', () => {
  const call = (command: string) =>
    qwen('assistant', [{ functionCall: { id: 'c', name: 'run_shell_command', args: { command } } }])
  const answer = (output: string, status: string) =>
    qwen('tool_result', [{ functionResponse: { id: 'c', name: 'run_shell_command', response: { output } } }], {
      toolCallResult: { callId: 'c', status },
    })
  const printed = 'Exit Code: 1\nis what I print\nExit Code: 0'
  const records = [
    ...[call('a'), answer('x', 'cancelled'), call('b'), answer('y', 'constructor')],
    ...[call('c'), answer(`\n${printed}`, 'success')],
  ]
  expect(outcomesOf({ records })).toEqual(['cancelled', 'ran', 'ran'])
})
