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
    ['agent_action', 'ls', 'answered'],
    ['agent_action', 'List', 'answered'],
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
  expect(parts.flatMap(({ act }) => act?.call.outcome ?? [])).toEqual(['answered', 'answered'])
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
    ['agent_action', 'make', 'answered'],
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
  expect(outcomesOf({ records })).toEqual(['cancelled', 'answered', 'ran'])
})

test('Copilot CLI: a command that the user ran is no act; answered words of an agent that acts by calls are no act either', () => {
  const run = read({
    records: [
      { type: 'session.permissions_changed', data: { allowAllPermissions: true } },
      { type: 'user.message', data: { content: 'Say ok.' } },
      { type: 'assistant.message', data: { content: 'ok', toolRequests: [] } },
      {
        type: 'tool.user_requested',
        data: { toolCallId: 'u', toolName: 'local_shell', arguments: { command: 'make' } },
      },
      {
        type: 'tool.execution_complete',
        data: { toolCallId: 'u', isUserRequested: true, success: true, result: { content: 'done' } },
      },
      { type: 'user.message', data: { content: 'Thanks.' } },
    ],
  })
  expect(run.steps.flatMap(({ parts }) => parts).map(({ actor, text, act }) => [actor, text, act])).toEqual([
    ['user', 'Say ok.', null],
    ['agent_message', 'ok', null],
    ['user', 'make', null],
    ['user', 'done', null],
    ['user', 'Thanks.', null],
  ])
  expect([run.unread, run.warnings]).toEqual([{ records: 0, actions: 0 }, []])
})

const loop = (event: object) => ({ type: 'context.append_loop_event', event, time: 1_785_612_812_825 })
const spoken = (role: string, text: string, kind = 'user') => ({
  type: 'context.append_message',
  message: { role, content: [{ type: 'text', text }], toolCalls: [], origin: { kind } },
})
const bash = (toolCallId: string, command: string) =>
  loop({ type: 'tool.call', toolCallId, name: 'Bash', args: { command }, description: `Running: ${command}` })
const result = (toolCallId: string, output: string, rest: object = {}) =>
  loop({ type: 'tool.result', toolCallId, result: { output, ...rest } })

test('Kimi Code: parts of a reply in one step, results, the harness in the user’s name, refusals, a compaction', () => {
  const run = read({
    records: [
      { type: 'metadata', protocol_version: '1.4' },
      { type: 'config.update', modelAlias: 'kimi-k2', systemPrompt: 'You are Kimi.' },
      { type: 'turn.prompt', input: [{ type: 'text', text: 'List the files, please, all of those that are there.' }] },
      spoken('user', 'List the files, please, all of those that are there.'),
      spoken('user', '<system-reminder>Be brief.</system-reminder>', 'injection'),
      loop({ type: 'step.begin', step: 1 }),
      loop({ type: 'content.part', part: { type: 'think', think: 'ls shows them.' } }),
      loop({ type: 'content.part', part: { type: 'text', text: 'I look.' } }),
      bash('a', 'ls'),
      bash('b', 'make'),
      { type: 'permission.record_approval_result', toolCallId: 'b', result: { decision: 'rejected' } },
      result('a', 'README.md'),
      result('b', 'The user rejected this call.', { isError: true }),
      bash('c', 'cat x'),
      result('c', 'No such file', { isError: true }),
      { type: 'context.apply_compaction', summary: 'The files were listed.' },
      loop({ type: 'content.part', part: { type: 'text', text: 'Done.' } }),
    ],
  })
  expect(run).toMatchObject({ format: 'kimi-code', agent: { name: 'kimi-code', model: 'kimi-k2' }, compacted: true })
  expect([run.unread, run.warnings]).toEqual([{ records: 0, actions: 0 }, []])
  expect(
    run.steps.flatMap(({ parts }) => parts).map(({ actor, text, act }) => [actor, text, act?.call.outcome]),
  ).toEqual([
    ['system', 'You are Kimi.', undefined],
    ['user', 'List the files, please, all of those that are there.', undefined],
    ['system', '<system-reminder>Be brief.</system-reminder>', undefined],
    ['agent_reasoning', 'ls shows them.', undefined],
    ['agent_message', 'I look.', undefined],
    ['agent_action', 'ls', 'answered'],
    ['agent_action', 'make', 'rejected'],
    ['tool_output', 'README.md', undefined],
    ['tool_output', 'The user rejected this call.', undefined],
    ['agent_action', 'cat x', 'failed'],
    ['tool_output', 'No such file', undefined],
    ['agent_message', 'The files were listed.', undefined],
    ['agent_message', 'Done.', undefined],
  ])
  expect(run.steps[3]?.parts).toHaveLength(6)
})

test('Kimi Code: unknown events, parts and roles are unread; a prompt that no message repeats is unread', () => {
  const run = read({
    records: [
      spoken('user', 'Go'),
      { type: 'turn.steer', input: [{ type: 'text', text: 'Stop what you are doing and remove the folder now.' }] },
      { type: 'new.event', command: 'rm' },
      loop({ type: 'tool.new_kind', args: { x: 1 } }),
      loop({ type: 'content.part', part: { type: 'video', url: 'x' } }),
      { type: 'context.append_message', message: { content: 'x' } },
      { type: 'context.append_message', message: { role: 'assistant', content: 'x', toolCalls: [{ name: 'Bash' }] } },
      7,
    ],
  })
  expect(run.unread).toEqual({ records: 7, actions: 4 })
})

test.each([
  ['old names', 'toolCallId', { stdout: 'a', exitCode: 0 }, {}, 'ran'],
  ['old names, a failure', 'toolCallId', { stdout: '', exitCode: 2 }, {}, 'failed'],
  ['new names', 'id', 'a', {}, 'answered'],
  ['new names, an error', 'id', 'no such folder', { isError: true }, 'failed'],
])('Droid’s stream: %s', (_, id, value, rest, outcome) => {
  const run = read({
    records: [
      { type: 'system', subtype: 'init', model: 'm', tools: ['Execute'] },
      { type: 'message', role: 'user', text: 'List the files.', id: 'm1', timestamp: 1_767_812_641_000 },
      { type: 'tool_call', [id]: 'c1', toolName: 'Execute', parameters: { command: 'ls', riskLevel: 'low' } },
      { type: 'tool_result', [id]: 'c1', value, ...rest },
      { type: 'message', role: 'assistant', text: 'Done', id: 'm2' },
      { type: 'completion', finalText: 'Done', usage: {} },
      { type: 'new_event', command: 'rm' },
    ],
  })
  expect(run).toMatchObject({ format: 'droid-stream', agent: { name: 'droid', model: 'm' } })
  const parts = run.steps.flatMap((step) => step.parts)
  expect(parts.find(({ text }) => text === 'ls')?.act).toMatchObject({ role: 'executes', call: { outcome } })
  expect(parts.filter(({ text }) => text === 'Done')).toHaveLength(1)
  expect(run.unread).toEqual({ records: 1, actions: 1 })
})

test('Copilot CLI: a command that the user ran is no act where only its request says so', () => {
  const asked = {
    type: 'tool.user_requested',
    data: { toolCallId: 'u', toolName: 'bash', arguments: { command: 'make' } },
  }
  const complete = {
    type: 'tool.execution_complete',
    data: { toolCallId: 'u', success: true, result: { content: 'done' } },
  }
  const run = read({ records: [said, asked, start('u', 'make'), complete, start('v', 'ls')] })
  expect(run.steps.flatMap(({ parts }) => parts).map(({ actor, text }) => [actor, text])).toEqual([
    ...[
      ['agent_message', 'Done.'],
      ['user', 'make'],
      ['user', 'done'],
    ],
    ['agent_action', 'ls'],
  ])
})

const approval = (toolCallId: string, decision: string, rest: object = {}) => ({
  type: 'permission.record_approval_result',
  ...{ toolCallId, action: 'run command', sessionApprovalRule: `Bash(${toolCallId})` },
  result: { decision, ...rest },
})

test('Kimi Code: a refusal holds for one call, also without a result; an approval by any name is one', () => {
  const refused = approval('a', 'rejected', { feedback: 'Use the other tool, please.' })
  const records = [
    ...[bash('a', 'make'), refused, result('a', 'Refused.', { isError: true })],
    ...[bash('a', 'ls'), result('a', 'README.md'), bash('d', 'rm x'), approval('d', 'rejected')],
    ...[bash('b', 'pwd'), approval('b', 'approved_for_session'), result('b', '/w')],
    ...[bash('c', 'id'), approval('c', 'cancelled'), result('c', 'root')],
  ]
  expect(outcomesOf({ records })).toEqual(['rejected', 'answered', 'rejected', 'answered', 'interrupted'])
  const run = read({ records })
  const feedback = run.steps.flatMap(({ parts }) => parts).find(({ text }) => text === 'Use the other tool, please.')
  expect(feedback).toMatchObject({ actor: 'user', path: '/records/1/result/feedback' })
  expect([run.unread, run.warnings]).toEqual([{ records: 0, actions: 0 }, []])
})

test('Kimi Code: a reply stands at the time of its first part', () => {
  const at = (time: number, event: object) => ({ ...event, time })
  const records = [
    at(1000, spoken('user', 'Go')),
    at(2000, loop({ type: 'content.part', part: { type: 'text', text: 'I look.' } })),
    at(3000, bash('a', 'ls')),
    at(9000, result('a', 'README.md')),
  ].map((record, index) => ({ ...record, time: [1000, 2000, 3000, 9000][index] }))
  expect(read({ records }).steps.map((step) => step.at)).toEqual([1000, 2000])
})

test('Droid’s stream: a user who says the same words first hides no final text; a system event with a call is an unread act', () => {
  const records = [
    { type: 'message', role: 'user', text: 'Say done.', id: 'm1' },
    { type: 'completion', finalText: 'Say done.' },
    { type: 'system', subtype: 'init', tools: ['Execute'] },
    { type: 'system', subtype: 'note', command: 'rm' },
  ]
  const run = read({ records })
  expect(textsOf({ records }).filter((text) => text === 'Say done.')).toHaveLength(2)
  expect(run.unread).toEqual({ records: 1, actions: 1 })
})

const planner = (source: string, type: string, content: string) => ({ source, type, status: 'DONE', content })
test.each<[string, readonly object[]]>([
  [
    'qwen-code',
    [qwen('user', [{ text: 'Say ok.' }]), qwen('assistant', [{ text: 'ok' }]), qwen('user', [{ text: 'So.' }])],
  ],
  [
    'antigravity',
    [
      planner('USER_EXPLICIT', 'USER_INPUT', 'Say ok.'),
      planner('MODEL', 'PLANNER_RESPONSE', 'ok'),
      planner('USER_EXPLICIT', 'USER_INPUT', 'So.'),
    ],
  ],
  [
    'kimi-code',
    [
      { type: 'metadata', protocol_version: '1.4' },
      spoken('user', 'Say ok.'),
      loop({ type: 'content.part', part: { type: 'text', text: 'ok' } }),
      spoken('user', 'So.'),
    ],
  ],
  [
    'droid-stream',
    [
      { type: 'message', role: 'user', text: 'Say ok.', id: 'm1' },
      { type: 'message', role: 'assistant', text: 'ok', id: 'm2' },
      { type: 'message', role: 'user', text: 'So.', id: 'm3' },
      { type: 'completion', finalText: 'ok' },
    ],
  ],
])('answered words of an agent that marks every call are no act: %s', (format, records) => {
  const run = read({ records })
  expect(run).toMatchObject({ format, unread: { records: 0, actions: 0 }, warnings: [] })
  const messages = run.steps.flatMap(({ parts }) => parts).filter(({ actor }) => actor === 'agent_message')
  expect(messages.map(({ text, act }) => [text, act])).toEqual([['ok', null]])
})
