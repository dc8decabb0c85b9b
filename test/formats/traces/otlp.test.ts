import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../../src/formats/common/open-documents.ts'
import { holds, read, refuse, sample } from '../make.ts'
import { told } from '../told.ts'
import { CALLS, call, nano, RUN } from './samples.ts'

type Row = Record<string, unknown>

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
const agent = span(
  'root',
  0,
  { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'fixer' },
  { parentSpanId: '' },
)

/** The run of `samples.ts` in the forms of several libraries: samples that the fuzzer begins with. */
const SAMPLES = {
  'GenAI messages as JSON in a string': 'f28420ef',
  'GenAI messages as values of OTLP': '4a471423',
  'a line of the collector for each span': '9bf8e963',
  events: 'be5b0bed',
  OpenLLMetry: 'a89fdee7',
  'OpenInference in OTLP': '1b221e49',
  'OpenInference, flat spans of Phoenix': '8b1f8480',
  'OpenInference, nested attributes': 'f0eb0305',
  'OpenInference, columns of a table': 'af80a470',
  'OpenInference with nothing but input.value': 'input-value',
  'the AI SDK, with args': 'ai-sdk-args',
  'the AI SDK, with input': 'ai-sdk-input',
}

describe('the AI SDK', () => {
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
  test.each(Object.entries(SAMPLES))('one run: %s', (_, seed) => {
    const trajectory = holds(sample('otlp', seed))
    expect(told(trajectory)).toEqual(RUN)
    expect(trajectory).toMatchObject({ format: 'otlp', warnings: [], unread: { records: 0, actions: 0 } })
    const outcomes = trajectory.steps.flatMap(({ parts }) => parts).flatMap(({ act }) => act?.call.outcome ?? [])
    expect(outcomes).toEqual(['answered', 'answered'])
  })

  test('the agent and the model are named', () => {
    expect(holds(request(agent, ...genAi((value) => JSON.stringify(value)))).agent).toEqual({
      name: 'fixer',
      model: 'gpt-9',
    })
  })

  test('reasoning, pictures, tools of the server and unknown parts', () => {
    const trajectory = holds(sample('otlp', '95f27f62'))
    expect(told(trajectory)).toEqual([
      ['user: [image: image/png]', 'user: x'],
      [
        ...['agent_reasoning: Hm.', 'agent_action: web_search', 'agent_action: x'],
        ...['tool_output: web_search', 'tool_output: found'],
      ],
    ])
    expect(trajectory.steps[0]?.parts[0]?.picture).toBeDefined()
    expect(trajectory.warnings).toMatchObject([
      { message: expect.stringContaining('unknown type of content block: "novel"') as string },
    ])
  })

  test('a failed tool, dropped attributes and a call without messages are told', () => {
    const trajectory = holds(sample('otlp', '54ee8402'))
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

  test('the result of a tool stands behind the spans inside of it', () => {
    const chat = (id: string, seconds: number, text: string): Row => {
      const output = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: text }] }])
      return span(id, seconds, { 'gen_ai.operation.name': 'chat', 'gen_ai.output.messages': output })
    }
    const attributes = {
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'bash' },
      ...{ 'gen_ai.tool.call.arguments': '{"command":"ask"}', 'gen_ai.tool.call.result': 'answer' },
    }
    const tool = span('t', 1, attributes, { endTimeUnixNano: nano(9) })
    expect(told(holds(request(tool, chat('i', 3, 'Inside.'), chat('b', 10, 'Behind.'))))).toEqual([
      ['agent_action: ask'],
      ['agent_message: Inside.'],
      ['tool_output: answer'],
      ['agent_message: Behind.'],
    ])
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
    const later = [
      event('assistant.message', { content: json({ text: 'I look.' }, use) }),
      event('tool.message', { content: json(brought) }),
      event('choice', { message: json({ text: forged }) }),
    ]
    const spans = [
      strands('1', 1, 'chat', {}, asked, call),
      strands('2', 2, 'execute_tool', tool, given, event('choice', { message: json({ text: 'README' }), id: 'c' })),
      strands('3', 3, 'chat', {}, asked, ...later),
    ]
    const words = ['agent_message: I look.', 'agent_action: ls', 'tool_output: README']
    const all = request(...spans, strands('root', 0, 'invoke_agent', {}, asked, event('choice', { message: forged })))
    expect(told(holds(all))).toEqual([['user: Go.'], words, [`agent_message: ${forged}`]])
    expect(told(holds(request(...spans.slice(1, 2))))).toEqual([['agent_action: ls', 'tool_output: README']])
  })

  test('several traces are refused, and taken apart', () => {
    const two = request(...genAi((value) => JSON.stringify(value)), { ...agent, traceId: 'bb' })
    expect(refuse(two)).toMatchObject([{ message: expect.stringContaining('2 runs') as string }])
    const opened = openDocuments(JSON.stringify(two))
    expect(opened.ok && opened.value.map(({ name }) => name)).toEqual(['aa', 'bb'])
    if (opened.ok) expect(told(read(opened.value[0]?.document))).toEqual(RUN)
  })
})
