import { describe, expect, test } from 'vitest'
import { openDocuments } from '../../../src/formats/common/open-documents.ts'
import { holds, read, refuse, sample } from '../make.ts'
import { told } from '../told.ts'
import { CALLS, nano, RUN } from './samples.ts'

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

  test('several traces are refused, and taken apart', () => {
    const two = request(...genAi((value) => JSON.stringify(value)), { ...agent, traceId: 'bb' })
    expect(refuse(two)).toMatchObject([{ message: expect.stringContaining('2 runs') as string }])
    const opened = openDocuments(JSON.stringify(two))
    expect(opened.ok && opened.value.map(({ name }) => name)).toEqual(['aa', 'bb'])
    if (opened.ok) expect(told(read(opened.value[0]?.document))).toEqual(RUN)
  })
})
