import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import { openDocuments } from '../../../src/formats/common/open-documents.ts'
import { PNG } from '../../pictures.ts'
import { read, refuse, textAt } from '../make.ts'
import { told } from '../told.ts'
import { at, CALLS, call, nano, README, RUN } from './samples.ts'

type Row = Record<string, unknown>

const holds = (document: Row): Trajectory => {
  const trajectory = read(document)
  for (const part of trajectory.steps.flatMap(({ parts }) => parts))
    if (!part.media) expect(textAt(document, part.path)).toBe(part.text)
  return trajectory
}

/** A value as OTLP writes it. */
function anyValue(value: unknown): Row {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'number') return { intValue: String(value) }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return value === null || value === undefined ? {} : { kvlistValue: { values: pairs(value as Row) } }
}
const pairs = (row: Row): Row[] => Object.entries(row).map(([key, value]) => ({ key, value: anyValue(value) }))

const span = (spanId: string, seconds: number, attributes: Row, more: Row = {}): Row => ({
  ...{ traceId: 'aa', spanId, parentSpanId: 'root', name: `span ${spanId}`, kind: 3 },
  ...{
    startTimeUnixNano: nano(seconds),
    endTimeUnixNano: nano(seconds + 1),
    status: {},
    attributes: pairs(attributes),
    ...more,
  },
})
const request = (...spans: Row[]): Row => ({
  resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'x' }, spans }] }],
})

/** A chat’s message as the conventions have it. */
function inParts(message: Row): Row {
  const { role, content, tool_calls: calls, tool_call_id: id } = message
  if (role === 'tool') return { role, parts: [{ type: 'tool_call_response', id, response: content }] }
  const said = typeof content === 'string' && content !== '' ? [{ type: 'text', content }] : []
  const made = ((calls ?? []) as Row[]).map((call) => {
    const { name, arguments: args } = call['function'] as Row
    return { type: 'tool_call', id: call['id'], name, arguments: JSON.parse(String(args)) as unknown }
  })
  return { role, parts: [...said, ...made] }
}

const genAi = (write: (value: unknown) => unknown): Row[] =>
  CALLS.map(({ input, output }, index) =>
    span(`m${index}`, 10 * index + 1, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-9',
      'gen_ai.system_instructions': write([{ type: 'text', content: 'You are a terminal agent.' }]),
      'gen_ai.input.messages': write(input.slice(1).map(inParts)),
      'gen_ai.output.messages': write([{ ...inParts(output), finish_reason: 'stop' }]),
    }),
  )
const executed = (id: string, seconds: number, command: string, output: string, more: Row = {}): Row =>
  span(
    `tool ${id}`,
    seconds,
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'bash',
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.call.arguments': JSON.stringify({ command }),
      'gen_ai.tool.call.result': output,
    },
    more,
  )
const tools = [executed('c1', 5, 'cat README.md', README), executed('c2', 15, 'npm run check', '12 passed')]
const agent = span(
  'root',
  0,
  { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'fixer' },
  { parentSpanId: '' },
)

/** OpenInference’s flat attributes of a message. */
function flat(prefix: string, messages: readonly Row[]): Row {
  const row: Row = {}
  for (const [index, message] of messages.entries()) {
    const at = `${prefix}.${index}.message`
    for (const name of ['role', 'content', 'tool_call_id'])
      if (typeof message[name] === 'string') row[`${at}.${name}`] = message[name]
    for (const [n, call] of ((message['tool_calls'] ?? []) as Row[]).entries()) {
      const { name, arguments: args } = call['function'] as Row
      row[`${at}.tool_calls.${n}.tool_call.id`] = call['id']
      row[`${at}.tool_calls.${n}.tool_call.function.name`] = name
      row[`${at}.tool_calls.${n}.tool_call.function.arguments`] = args
    }
  }
  return row
}
const inferenceAttributes: Row[] = CALLS.map(({ input, output }) => ({
  'openinference.span.kind': 'LLM',
  'llm.model_name': 'gpt-9',
  'input.value': JSON.stringify({ messages: input }),
  ...flat('llm.input_messages', input),
  ...flat('llm.output_messages', [output]),
}))
const inferenceTool = (command: string, output: string): Row => ({
  'openinference.span.kind': 'TOOL',
  'tool.name': 'bash',
  'input.value': JSON.stringify({ command }),
  'output.value': output,
})
const chain: Row = {
  'openinference.span.kind': 'AGENT',
  'input.value': 'Run the tests.',
  'output.value': 'All tests pass.',
}

const phoenix = (id: string, seconds: number, attributes: Row, more: Row = {}): Row => ({
  ...{
    id: `U3Bhbjo${id}`,
    name: id,
    context: { trace_id: 'aa', span_id: id },
    span_kind: 'UNKNOWN',
    parent_id: 'root',
  },
  ...{
    start_time: at(seconds),
    end_time: at(seconds + 1),
    status_code: 'OK',
    status_message: '',
    attributes,
    events: [],
    ...more,
  },
})
const flatSpans = [
  phoenix('root', 0, chain, { parent_id: null, end_time: at(50) }),
  ...inferenceAttributes.map((attributes, index) => phoenix(`m${index}`, 10 * index + 1, attributes)),
  phoenix('t1', 5, inferenceTool('cat README.md', README)),
  phoenix('t2', 15, inferenceTool('npm run check', '12 passed')),
]

/** `{'a.b': 1}` as `{a: {b: 1}}`, numbers as items of an array: how Phoenix keeps attributes. */
function nested(attributes: Row): Row {
  const root: Row = {}
  for (const [name, value] of Object.entries(attributes)) {
    const way = name.split('.')
    let node = root
    for (const [index, segment] of way.entries()) {
      if (index === way.length - 1) node[segment] = value
      else {
        node[segment] ??= /^\d+$/.test(way[index + 1] ?? '') ? [] : {}
        node = node[segment] as Row
      }
    }
  }
  return root
}
const columns = (row: Row): Row => {
  const { attributes, context, ...rest } = row
  const own = Object.entries(attributes as Row).map(([name, value]) => [`attributes.${name}`, value])
  return {
    ...rest,
    'context.trace_id': (context as Row)['trace_id'],
    'context.span_id': (context as Row)['span_id'],
    ...Object.fromEntries(own),
  }
}

const EVENTS: Readonly<Record<string, string>> = {
  system: 'gen_ai.system.message',
  user: 'gen_ai.user.message',
  assistant: 'gen_ai.assistant.message',
  tool: 'gen_ai.tool.message',
}
const eventSpans = CALLS.map(({ input, output }, index) =>
  span(
    `m${index}`,
    10 * index + 1,
    { 'gen_ai.operation.name': 'chat' },
    {
      events: [
        ...(input as Row[]).map((message) => ({
          name: EVENTS[String(message['role'])],
          attributes: pairs({
            content: message['content'] ?? '',
            ...('tool_calls' in message && { tool_calls: JSON.stringify(message['tool_calls']) }),
            ...('tool_call_id' in message && { id: message['tool_call_id'] }),
          }),
        })),
        {
          name: 'gen_ai.choice',
          attributes: pairs({ index: 0, finish_reason: 'stop', message: JSON.stringify(output) }),
        },
      ],
    },
  ),
)

/** OpenLLMetry: `gen_ai.prompt.0.role`. */
const prompted = CALLS.map(({ input, output }, index) => {
  const row: Row = {}
  for (const [prefix, messages] of [
    ['gen_ai.prompt', input],
    ['gen_ai.completion', [output]],
  ] as const)
    for (const [n, message] of (messages as Row[]).entries()) {
      for (const name of ['role', 'content', 'tool_call_id'])
        if (typeof message[name] === 'string') row[`${prefix}.${n}.${name}`] = message[name]
      for (const [m, call] of ((message['tool_calls'] ?? []) as Row[]).entries()) {
        const { name, arguments: args } = call['function'] as Row
        Object.assign(row, {
          [`${prefix}.${n}.tool_calls.${m}.id`]: call['id'],
          [`${prefix}.${n}.tool_calls.${m}.name`]: name,
          [`${prefix}.${n}.tool_calls.${m}.arguments`]: args,
        })
      }
    }
  return span(`m${index}`, 10 * index + 1, row)
})

/** The run in the telemetry of the AI SDK, of which blocks and calls are JSON in attributes. */
const inBlocks = ({ role, content, tool_calls: calls, tool_call_id: id }: Row): Row => {
  if (role === 'tool')
    return {
      role,
      content: [{ type: 'tool-result', toolCallId: id, toolName: 'bash', output: { type: 'text', value: content } }],
    }
  if (role === 'system') return { role, content }
  const made = ((calls ?? []) as Row[]).map((one) => {
    const { name, arguments: args } = one['function'] as Row
    return { type: 'tool-call', toolCallId: one['id'], toolName: name, input: JSON.parse(String(args)) as unknown }
  })
  return { role, content: [...(content === null || content === '' ? [] : [{ type: 'text', text: content }]), ...made] }
}
const aiSdk = (args: 'args' | 'input'): Row[] =>
  CALLS.map(({ input, output }, index) => {
    const calls = (output['tool_calls'] ?? []) as Row[]
    const made = calls.map((one) => ({
      ...{ type: 'tool-call', toolCallId: one['id'], toolName: 'bash' },
      [args]: (one['function'] as Row)['arguments'],
    }))
    return span(`m${index}`, 10 * index + 1, {
      ...{ 'ai.operationId': 'ai.streamText.doStream', 'ai.model.id': 'gpt-9' },
      'ai.prompt.messages': JSON.stringify(input.map(inBlocks)),
      'ai.prompt.tools': ['{"type":"function","name":"bash"}'],
      ...(typeof output['content'] === 'string' && { 'ai.response.text': output['content'] }),
      ...(made.length > 0 && { 'ai.response.toolCalls': JSON.stringify(made) }),
    })
  })
const aiTool = (id: string, seconds: number, command: string, result: string): Row =>
  span(`t-${id}`, seconds, {
    ...{ 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'bash', 'ai.toolCall.id': id },
    ...{ 'ai.toolCall.args': JSON.stringify({ command }), 'ai.toolCall.result': JSON.stringify(result) },
  })
const aiRoot: Row = {
  ...span('root', 0, {
    'ai.operationId': 'ai.streamText',
    'ai.prompt': JSON.stringify({
      system: 'You are a terminal agent.',
      messages: [{ role: 'user', content: 'Run the tests.' }],
    }),
    'ai.response.text': 'All tests pass.',
  }),
  ...{ parentSpanId: undefined, endTimeUnixNano: nano(60) },
}
const aiTools = [aiTool('c1', 5, 'cat README.md', README), aiTool('c2', 15, 'npm run check', '12 passed')]

describe('the AI SDK', () => {
  test.each(['args', 'input'] as const)('is read as any other trace of the run: %s', (args) => {
    const trajectory = holds(request(aiRoot, ...aiSdk(args), ...aiTools))
    expect(told(trajectory)).toEqual(RUN)
    expect(trajectory).toMatchObject({ agent: { model: 'gpt-9' }, unread: { records: 0, actions: 0 } })
    const acts = trajectory.steps.flatMap(({ parts }) => parts).flatMap(({ act }) => act?.call.outcome ?? [])
    expect(acts).toEqual(['ran', 'ran'])
  })

  test('what its model only wrote is no call', () => {
    const forged = JSON.stringify([{ toolCallId: 'c9', toolName: 'bash', input: { command: 'rm -rf /' } }])
    const words = span('m', 1, {
      ...{ 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.text': forged },
      'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }]),
    })
    const actors = holds(request(words)).steps.flatMap(({ parts }) => parts.map(({ actor }) => actor))
    expect(actors).toEqual(['user', 'agent_message'])
  })

  test('calls in no form that is known are counted', () => {
    const odd = span('m', 1, {
      ...{ 'ai.operationId': 'ai.generateText.doGenerate', 'ai.response.text': 'x' },
      ...{ 'ai.response.toolCalls': 'bash(rm)', 'ai.prompt.messages': '[{"role":"user","content":"Hi."}]' },
    })
    expect(holds(request(odd)).unread.actions).toBe(1)
  })

  test('spans without what was said are refused with what to do', () => {
    const refused = refuse(request(span('m', 1, { 'gen_ai.request.model': 'gpt-9' })))
    expect(JSON.stringify(refused)).toContain('none of its 1 spans holds a message')
  })
})

describe('traces of OpenTelemetry', () => {
  test.each<[string, Row]>([
    ['GenAI messages as JSON in a string', request(...tools, ...genAi((value) => JSON.stringify(value)), agent)],
    ['GenAI messages as values of OTLP', request(agent, ...genAi((value) => value), ...tools)],
    [
      'a line of the collector for each span',
      { records: [agent, ...genAi((value) => JSON.stringify(value)), ...tools].map((one) => request(one)) },
    ],
    ['events', request(agent, ...eventSpans, ...tools)],
    ['OpenLLMetry', request(agent, ...prompted, ...tools)],
    [
      'OpenInference in OTLP',
      request(
        span('root', 0, chain, { parentSpanId: '', endTimeUnixNano: nano(50) }),
        ...inferenceAttributes.map((row, index) => span(`m${index}`, 10 * index + 1, row)),
        span('t1', 5, inferenceTool('cat README.md', README)),
        span('t2', 15, inferenceTool('npm run check', '12 passed')),
      ),
    ],
    ['OpenInference, flat spans of Phoenix', { data: flatSpans, next_cursor: null }],
    [
      'OpenInference, nested attributes',
      { records: flatSpans.map((one) => ({ ...one, attributes: nested(one['attributes'] as Row) })) },
    ],
    ['OpenInference, columns of a table', { records: flatSpans.map(columns) }],
    [
      'OpenInference with nothing but input.value',
      {
        records: flatSpans.map((one, index) => ({
          ...one,
          attributes: only(one['attributes'] as Row, CALLS[index - 1]?.output),
        })),
      },
    ],
  ])('one run: %s', (_, document) => {
    const trajectory = holds(document)
    expect(told(trajectory)).toEqual(RUN)
    expect(trajectory).toMatchObject({ format: 'otlp', warnings: [], unread: { records: 0, actions: 0 } })
    const outcomes = trajectory.steps.flatMap(({ parts }) => parts).flatMap(({ act }) => act?.call.outcome ?? [])
    expect(outcomes).toEqual(['ran', 'ran'])
  })

  test('the agent and the model are named', () => {
    expect(holds(request(agent, ...genAi((value) => JSON.stringify(value)))).agent).toEqual({
      name: 'fixer',
      model: 'gpt-9',
    })
  })

  test('reasoning, pictures, tools of the server and unknown parts', () => {
    const output = [
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm.' },
          {
            type: 'server_tool_call',
            id: 's',
            name: 'web_search',
            server_tool_call: { type: 'web_search', query: 'x' },
          },
          {
            type: 'server_tool_call_response',
            id: 's',
            server_tool_call_response: { type: 'web_search', result: 'found' },
          },
        ],
      },
    ]
    const input = [
      {
        role: 'user',
        parts: [
          { type: 'blob', mime_type: 'image/png', modality: 'image', content: PNG },
          { type: 'novel', value: 'x' },
        ],
      },
    ]
    const trajectory = holds(
      request(
        span('m', 1, {
          'gen_ai.operation.name': 'chat',
          'gen_ai.input.messages': JSON.stringify(input),
          'gen_ai.output.messages': JSON.stringify(output),
        }),
      ),
    )
    expect(told(trajectory)).toEqual([
      ['user: [image]', 'user: novel', 'user: x'],
      [
        'agent_reasoning: Hm.',
        'agent_action: web_search',
        'agent_action: x',
        'tool_output: web_search',
        'tool_output: found',
      ],
    ])
    expect(trajectory.steps[0]?.parts[0]?.picture).toBeDefined()
    expect(trajectory.warnings).toMatchObject([
      { message: expect.stringContaining('unknown type of content block: novel') as string },
    ])
  })

  test('a failed tool, dropped attributes, a call without messages and a chain are told', () => {
    const failed = executed('c1', 5, 'cat README.md', '', {
      status: { code: 2, message: 'boom' },
      droppedAttributesCount: 2,
    })
    const [one] = genAi((value) => JSON.stringify(value))
    const trajectory = holds(
      request(
        one as Row,
        failed,
        span('s', 7, { 'gen_ai.operation.name': 'chat' }),
        span('h', 8, { 'http.method': 'GET' }),
      ),
    )
    expect(trajectory.steps.at(-1)?.parts.map(({ actor, text }) => `${actor}: ${text}`)).toEqual([
      'agent_message: I look around.',
      'agent_action: cat README.md',
      'tool_output: boom',
    ])
    expect(trajectory.steps.at(-1)?.parts[1]?.act?.call.outcome).toBe('failed')
    expect(trajectory.unread).toEqual({ records: 2, actions: 2 })
    expect(trajectory.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('2 attributes of this span were dropped'),
      expect.stringContaining('1 calls of a model without their messages'),
      expect.stringContaining('1 spans of kind "none" are not shown'),
    ])
  })

  test('messages that were cut are shown as they stand, and may hide acts', () => {
    const cut = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'I look.' }] }]).slice(0, 40)
    const trajectory = holds(request(span('m', 1, { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': cut })))
    expect(told(trajectory)).toEqual([[`agent_message: ${cut}`]])
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
  })

  test('an answer that only looks like a message is words', () => {
    const forged = JSON.stringify({ role: 'assistant', tool_calls: [call('x', 'rm -rf /')] })
    const attributes = { 'openinference.span.kind': 'LLM', 'input.value': 'Go.', 'output.value': forged }
    const trajectory = holds(request(span('m', 1, attributes)))
    expect(told(trajectory)).toEqual([['user: Go.'], [`agent_message: ${forged}`]])
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
  })

  test.each([
    '{"role":"assistant","tool_calls":[]}',
    '[{"type":"tool_use","id":"x","name":"bash","input":{"command":"ls"}}]',
  ])('words of OpenLLMetry that look like a call are words: %s', (forged) => {
    const attributes = {
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'Go.' },
      ...{ 'gen_ai.prompt.1.role': 'assistant', 'gen_ai.prompt.1.content': forged },
      ...{ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': forged },
    }
    const trajectory = holds(request(span('m', 1, attributes)))
    expect(told(trajectory)).toEqual([['user: Go.'], [`agent_message: ${forged}`], [`agent_message: ${forged}`]])
    expect(trajectory.unread.actions).toBe(2)
  })

  test.each<[Row, number]>([
    [{ command: 'ls' }, 0],
    [{ command: 'ls', timeout: 5 }, 0],
    [{ command: 'rm -r /' }, 1],
  ])('a tool that was given %j lost %i acts beside the call of the model', (args, actions) => {
    const output = {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c', name: 'bash', arguments: { command: 'ls' } }],
    }
    const trajectory = holds(
      request(
        span('m', 1, { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': JSON.stringify([output]) }),
        span('t', 2, {
          ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash', 'gen_ai.tool.call.id': 'c' },
          ...{ 'gen_ai.tool.call.arguments': JSON.stringify(args), 'gen_ai.tool.call.result': 'x' },
        }),
      ),
    )
    expect(told(trajectory)).toEqual([['agent_action: ls', 'tool_output: x']])
    expect(trajectory.unread.actions).toBe(actions)
  })

  test('events of Strands hold blocks as JSON, and an agent’s last words as they are', () => {
    const event = (name: string, attributes: Row): Row => ({ name: `gen_ai.${name}`, attributes: pairs(attributes) })
    const json = (...blocks: unknown[]): string => JSON.stringify(blocks)
    const strands = (id: string, seconds: number, operation: string, more: Row, ...events: Row[]): Row =>
      span(id, seconds, { 'gen_ai.system': 'strands-agents', 'gen_ai.operation.name': operation, ...more }, { events })
    const asked = event('user.message', { content: json({ text: 'Go.' }) })
    const use = { toolUse: { toolUseId: 'c', name: 'bash', input: { command: 'ls' } } }
    const brought = { toolResult: { toolUseId: 'c', status: 'success', content: [{ text: 'README' }] } }
    const call = event('choice', { finish_reason: 'tool_use', message: json({ text: 'I look.' }, use) })
    const given = event('tool.message', { role: 'tool', content: '{"command":"ls"}', id: 'c' })
    const tool = { 'gen_ai.tool.name': 'bash', 'gen_ai.tool.call.id': 'c' }
    const forged = json({ toolUse: { toolUseId: 'd', name: 'bash', input: { command: 'rm -r /' } } })
    const spans = [
      strands('1', 1, 'chat', {}, asked, call),
      strands('2', 2, 'execute_tool', tool, given, event('choice', { message: json({ text: 'README' }), id: 'c' })),
      strands(
        ...([
          '3',
          3,
          'chat',
          {},
          asked,
          event('assistant.message', { content: json({ text: 'I look.' }, use) }),
        ] as const),
        ...[event('tool.message', { content: json(brought) }), event('choice', { message: json({ text: forged }) })],
      ),
    ]
    const words = ['agent_message: I look.', 'agent_action: ls', 'tool_output: README']
    const all = request(...spans, strands('root', 0, 'invoke_agent', {}, asked, event('choice', { message: forged })))
    expect(told(holds(all))).toEqual([['user: Go.'], words, [`agent_message: ${forged}`]])
    expect(told(holds(request(...spans.slice(1, 2))))).toEqual([['agent_action: ls', 'tool_output: README']])
  })

  test('several traces are refused, and taken apart', () => {
    const two = request(...genAi((value) => JSON.stringify(value)), { ...agent, traceId: 'bb' })
    expect(refuse(two)).toMatchObject([{ message: expect.stringContaining('2 traces') as string }])
    const opened = openDocuments(JSON.stringify(two))
    expect(opened.ok && opened.value.map(({ name }) => name)).toEqual(['aa', 'bb'])
    if (opened.ok) expect(told(read(opened.value[0]?.document))).toEqual(RUN)
  })
})

const only = (attributes: Row, output: unknown): Row =>
  attributes['openinference.span.kind'] === 'LLM'
    ? {
        'openinference.span.kind': 'LLM',
        'input.value': attributes['input.value'],
        'input.mime_type': 'application/json',
        'output.mime_type': 'application/json',
        'output.value': JSON.stringify({ choices: [{ message: output }] }),
      }
    : attributes
