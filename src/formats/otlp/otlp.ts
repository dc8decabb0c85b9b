import { cutName, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asName, asRecord, asText } from '../common/session.ts'
import type { FileRun, Format, ReadDocument } from '../format.ts'
import { decodeLocated, type Side } from '../traces/chat-shapes.ts'
import { Located, type Tree } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import type { SpanKind, TracedTool, TraceSpan } from '../traces/trace-span.ts'
import { type Attribute, attributesOf } from './attributes.ts'
import { genAiMessages, isMessageEvent, type SpanEvent } from './gen-ai.ts'
import { AI_SDK, aiSdkMessages, openInferenceMessages } from './library-spans.ts'

/**
 * The format of OpenTelemetry traces with the GenAI semantic conventions, OpenInference or OpenLLMetry: OTLP as JSON (`resourceSpans`; each
 * line of a collector's file), and lists of spans as Phoenix (`GET /v1/projects/…/spans`, `/otlpv1`, tables as JSON lines) and the SDKs'
 * console exporters write them.
 */
export const OTLP: Format = {
  name: 'otlp',
  recognizes: (document) => isRequest(document) || listOf(document) !== null,
  read: readOtlp,
  split: splitOtlp,
  holdsSubagents: true,
}

const isRequest = (value: unknown): boolean =>
  isRecord(value) && (Array.isArray(value['resourceSpans']) || Array.isArray(value['resource_spans']))

/** Names the member that holds a request or a span; null for other documents. */
function listOf(document: Json): string | null {
  const name = ['records', 'data', 'spans', 'batches'].find((member) => Array.isArray(document[member]))
  const list = name === undefined ? [] : (document[name] as readonly unknown[])
  return name !== undefined && list.some(isSpanOrRequest) ? name : null
}

const isSpanOrRequest = (item: unknown): boolean =>
  isRequest(item) || (isRecord(item) && isSpan(item) && traceIdOf(item) !== null)

function readOtlp(reading: Reading, document: Json): ReadDocument {
  const spansOf = spansIn(document)
  for (const { value, path } of oddIn(document)) reading.odd(path, 'a span or a request', value)
  const spans = spansOf.map((span) => readSpan(reading, span))
  const agents = new Set(spans.flatMap(({ agent }) => agent ?? []))
  const [agent = null] = agents
  const only = agents.size === 1 ? agent : null
  const read = readTrace(reading, spans, { format: 'otlp', path: '', name: asName(only), agent: only })
  if (spans.length > 0 && read.steps.length === 0)
    reading.refuse(
      '',
      `none of its ${spans.length} spans holds a message or a call: record what the model was sent and what it answered (off by default in OpenTelemetry)`,
    )
  return read
}

/** Lists the items of a document that are neither spans nor requests. */
function oddIn(document: Json): readonly Located[] {
  const name = isRequest(document) ? null : listOf(document)
  const list = name === null ? [] : new Located(document, '').member(name).items()
  const spans = requestSpans(document).filter(({ value }) => !isRecord(value) || !isSpan(value))
  return [...list.filter(({ value }) => !isSpanOrRequest(value)), ...spans]
}

/** Splits a file of several traces into one document per trace, in order of their first spans. */
function splitOtlp(root: Json): readonly FileRun[] | null {
  if (spansIn(root).length === 0) return null
  const groups = Map.groupBy(spansIn(root), ({ record }) => traceIdOf(record) ?? '')
  if (groups.size < 2) return null
  const odd = oddIn(root).map(({ value }) => value)
  return [...groups].map(([trace, spans], index) => ({
    name: cutName(trace),
    // The first trace keeps the records that are unread.
    document: { spans: [...spans.map(({ record }) => record), ...(index === 0 ? odd : [])] },
  }))
}

interface LocatedSpan {
  readonly span: Located
  readonly record: Json
}

/** Lists the spans of OTLP requests (`resourceSpans`; a collector's file holds several requests), or of lists of spans. */
function spansIn(document: Json): readonly LocatedSpan[] {
  const root = new Located(document, '')
  const plain = ['records', 'data', 'spans']
    .flatMap((name) => root.member(name).items())
    .filter(({ value }) => isSpanOrRequest(value))
  return [...requestSpans(document), ...plain].flatMap((span) =>
    isRecord(span.value) && isSpan(span.value) ? [{ span, record: span.value }] : [],
  )
}

/** Lists the spans of the requests of a document. */
function requestSpans(document: Json): readonly Located[] {
  const root = new Located(document, '')
  const requests = [root, ...root.member('records').items(), ...root.member('batches').items()]
  return requests
    .flatMap((request) => ['resourceSpans', 'resource_spans'].flatMap((name) => request.member(name).items()))
    .flatMap((resource) =>
      ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'].flatMap((name) => resource.member(name).items()),
    )
    .flatMap((scope) => scope.member('spans').items())
}

/** Recognizes a span by its id, start and attributes, each under one of several names. */
const isSpan = (span: Json): boolean =>
  idIn(span, 'span') !== null &&
  STARTS.some((name) => name in span) &&
  ('attributes' in span || Object.keys(span).some((name) => name.startsWith(COLUMN)))

/** The prefix of columns that hold attributes, in tables of spans: `attributes.llm.input_messages`. */
const COLUMN = 'attributes.'

const STARTS = ['startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'startTime']
const ENDS = ['endTimeUnixNano', 'end_time_unix_nano', 'end_time', 'endTime']

function idIn(span: Json, of: 'span' | 'trace'): string | null {
  const [camel, snake, context] = [`${of}Id`, `${of}_id`, asRecord(span['context'])]
  return asText(span[camel] ?? span[snake] ?? context[snake] ?? context[camel] ?? span[`context.${snake}`])
}

const traceIdOf = (span: Json): string | null => idIn(span, 'trace')

function readSpan(reading: Reading, { span, record }: LocatedSpan): TraceSpan {
  const own = 'attributes' in record ? attributesOf(span.member('attributes')) : attributesOf(span, COLUMN)
  const events = span
    .member('events')
    .items()
    .flatMap((event): SpanEvent[] =>
      isRecord(event.value) && typeof event.value['name'] === 'string'
        ? [{ name: event.value['name'], attributes: attributesOf(event.member('attributes')) }]
        : [],
    )
  for (const { path } of DEFINITIONS.flatMap((name) => own.value(name) ?? [])) reading.leaveOut(path)
  const name = asText(record['name'])
  const { kind, called } = kindOf(own, events, record)
  const dropped = record['droppedAttributesCount'] ?? record['dropped_attributes_count']
  if (typeof dropped === 'number' && dropped > 0)
    reading.unread(
      span.path,
      `${dropped} attributes of this span were dropped before it was exported`,
      kind !== 'other',
    )
  const { path } = span
  const messagesOf = (side: Side): readonly Tree[] | null => {
    const messages = genAiMessages(own, events, side)
    // Null is a result: the messages are in a form that is not known.
    const orSdk = messages === undefined ? aiSdkMessages(own, side) : messages
    return orSdk === undefined ? openInferenceMessages(own, side) : orSdk
  }
  const tool = kind === 'tool' ? toolOf(own, events, span, record) : null
  const momentIn = (fields: readonly string[]): number | null =>
    fields.map((field) => momentOf(record[field])).find((at) => at !== null) ?? null
  return {
    ...{ path, kind, called, name, tool },
    ...{ input: () => messagesOf('user'), output: () => messagesOf('assistant') },
    id: idIn(record, 'span'),
    parent: asText(record['parentSpanId'] ?? record['parent_span_id'] ?? record['parent_id'] ?? record['parentId']),
    agent:
      own.text('gen_ai.agent.name agent.name') ??
      (kind === 'agent' ? (own.text('traceloop.entity.name') ?? name) : null),
    model: own.text('gen_ai.response.model gen_ai.request.model llm.model_name ai.model.id'),
    ...{ start: momentIn(STARTS), end: momentIn(ENDS) },
    holds: tool !== null || CONTENT.some((name) => own.get(name) !== null) || events.some(holdsMessages),
  }
}

/** Attributes with the definitions of tools. */
const DEFINITIONS = ['gen_ai.tool.description', 'gen_ai.tool.definitions', 'gen_ai.request.tools', 'llm.tools'] as const

const CONTENT = [
  ...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.prompt', 'gen_ai.completion', 'llm.input_messages'],
  ...['llm.output_messages', 'llm.prompts', 'llm.choices', 'input.value', 'output.value'],
  ...['ai.prompt', 'ai.prompt.messages', 'ai.response.text', 'ai.response.toolCalls', 'ai.result.text'],
]

const holdsMessages = (event: SpanEvent): boolean =>
  isMessageEvent(event) || CONTENT.some((name) => event.attributes.get(name) !== null)

const OPERATIONS: Readonly<Record<string, SpanKind>> = {
  ...{ chat: 'model', generate_content: 'model', text_completion: 'model', completion: 'model' },
  ...{ invoke_agent: 'agent', create_agent: 'agent', invoke_workflow: 'agent', execute_tool: 'tool' },
  ...{ LLM: 'model', AGENT: 'agent', TOOL: 'tool' },
  ...AI_SDK,
}

function kindOf(own: Attribute, events: readonly SpanEvent[], record: Json): Pick<TraceSpan, 'kind' | 'called'> {
  const kind = own.text('openinference.span.kind gen_ai.operation.name traceloop.span.kind ai.operationId')
  const called = kind ?? asText(record['span_kind']) ?? 'none'
  const upper = own.text('traceloop.span.kind') === called || kind === null ? called.toUpperCase() : called
  const operation = Object.hasOwn(OPERATIONS, upper) ? OPERATIONS[upper] : undefined
  if (operation !== undefined) return { kind: operation, called }
  const isModel =
    ['input.messages', 'output.messages', 'prompt.0'].some((name) => own.get(`gen_ai.${name}`) !== null) ||
    events.some(isMessageEvent)
  return { kind: isModel && kind === null ? 'model' : 'other', called }
}

function toolOf(own: Attribute, events: readonly SpanEvent[], span: Located, record: Json): TracedTool {
  const inEvent = (event: string, name: string): Located | null =>
    events.find((candidate) => candidate.name === event)?.attributes.value(name) ?? null
  const nothing = new Located(undefined, span.path)
  const choice = inEvent('gen_ai.choice', 'message')
  const brought = choice === null ? null : (decodeLocated(choice) ?? choice)
  const status = span.member('status')
  const code = isRecord(status.value) ? (status.value['code'] ?? status.value['status_code']) : record['status_code']
  const isError = code === 2 || (typeof code === 'string' && code.toUpperCase().endsWith('ERROR'))
  const message = isRecord(status.value) ? status.member('message') : span.member('status_message')
  return {
    id: own.text('gen_ai.tool.call.id tool_call.id tool.id ai.toolCall.id'),
    name: own.value('gen_ai.tool.name tool.name traceloop.entity.name ai.toolCall.name') ?? span.member('name'),
    args: own.value(ARGUMENTS) ?? inEvent('gen_ai.tool.message', 'content') ?? nothing,
    result:
      own.value('gen_ai.tool.call.result output.value traceloop.entity.output ai.toolCall.result') ??
      brought ??
      nothing,
    error: isError ? message : null,
  }
}

const ARGUMENTS =
  'gen_ai.tool.call.arguments tool_call.function.arguments input.value traceloop.entity.input tool.parameters ai.toolCall.args'

/** Returns a time in milliseconds since 1970: from nanoseconds as text or number, else from any form that `timeOf` reads. */
function momentOf(value: unknown): number | null {
  const nanoseconds =
    typeof value === 'string' && DIGITS.test(value) ? Number(value) : typeof value === 'number' ? value : Number.NaN
  if (Number.isFinite(nanoseconds) && nanoseconds > 1e16) return nanoseconds / 1e6
  return timeOf(value)
}

const DIGITS = /^\d{1,30}$/
