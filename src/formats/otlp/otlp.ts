import { cutName, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText } from '../common/session.ts'
import { type FileRun, type Format, groupRows, type ReadDocument } from '../format.ts'
import { own as ownOf } from '../tools/tool-table.ts'
import { opened } from '../traces/chat-shapes.ts'
import { Located } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import { kindBy, type SpanKind, type TracedTool, type TraceSpan } from '../traces/trace-span.ts'
import { attribute, attributesOf, attributeText } from './attributes.ts'
import { AI_SDK, isMessageEvent, messagesOfSpan, type SpanEvent } from './span-messages.ts'

/** OTLP as JSON, and lists of spans (Phoenix, console exporters), by the conventions of GenAI, OpenInference or OpenLLMetry. */
export const OTLP: Format = {
  name: 'otlp',
  recognizes: (document) => isRequest(document) || listsOf(document).length > 0,
  read: readOtlp,
  split: splitOtlp,
  holdsSubagents: true,
}

const REQUESTS = ['resourceSpans', 'resource_spans'] as const
const SCOPES = ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'] as const

const isRequest = (value: unknown): boolean => isRecord(value) && REQUESTS.some((name) => Array.isArray(value[name]))

/** Names the members that hold a list of requests or spans; a list may stand beside a request. */
const listsOf = (document: Json): readonly string[] =>
  ['records', 'data', 'spans', 'batches'].filter((name) => asList(document[name]).some(isSpanOrRequest))

const isSpanOrRequest = (item: unknown): boolean => isRequest(item) || isSpan(item)

function readOtlp(reading: Reading, document: Json): ReadDocument {
  const items = itemsOf(document)
  for (const { value, path } of items) if (!isSpan(value)) reading.odd(path, 'a span or a request', value)
  const spans = items.flatMap((span) => (isSpan(span.value) ? [readSpan(reading, span, span.value)] : []))
  const agents = new Set(spans.flatMap(({ agent }) => agent ?? []))
  const [agent = null] = agents
  const only = agents.size === 1 ? agent : null
  const read = readTrace(reading, spans, { format: 'otlp', path: '' }, { name: asName(only), tools: only })
  const advice = 'record what the model was sent and what it answered (off by default in OpenTelemetry)'
  if (spans.length > 0 && read.steps.length === 0)
    reading.refuse('', `none of its ${spans.length} spans holds a message or a call: ${advice}`)
  return read
}

/** Lists the spans of a document, of OTLP requests (a collector's file holds several) and of lists, and the items that are neither. */
function itemsOf(document: Json): readonly Located[] {
  const root = new Located(document, '')
  const lists = listsOf(document).flatMap((name) => root.member(name).items())
  const items = isRequest(document) ? [root, ...lists] : lists
  const below = (above: readonly Located[], names: readonly string[]): Located[] =>
    above.flatMap((item) => names.flatMap((name) => item.member(name).items()))
  return items.flatMap((item) => (isRequest(item.value) ? [REQUESTS, SCOPES, ['spans']].reduce(below, [item]) : [item]))
}

/** Splits a file of several traces into one document per trace, in order of their first spans; an odd item stays beside the span before it. */
function splitOtlp(root: Json): readonly FileRun[] | null {
  const items = itemsOf(root).map(({ value }) => value)
  const groups = groupRows(items, isSpan, traceIdOf)
  return groups.length < 2 ? null : groups.map(([trace, spans]) => ({ name: cutName(trace), document: { spans } }))
}

/** Recognizes a span by an id (an exporter may leave the other empty or out), start and attributes, each under one of several names. */
const isSpan = (span: unknown): span is Json =>
  isRecord(span) &&
  (traceIdOf(span) !== '' || asText(idIn(span, 'span')) !== null) &&
  STARTS.some((name) => name in span) &&
  ('attributes' in span || Object.keys(span).some((name) => name.startsWith(COLUMN)))

/** The prefix of columns that hold attributes, in tables of spans: `attributes.llm.input_messages`. */
const COLUMN = 'attributes.'

const STARTS = ['startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'startTime']
const ENDS = ['endTimeUnixNano', 'end_time_unix_nano', 'end_time', 'endTime']

function idIn(span: Json, of: 'span' | 'trace'): unknown {
  const [camel, snake, context] = [`${of}Id`, `${of}_id`, asRecord(span['context'])]
  return span[camel] ?? span[snake] ?? context[snake] ?? context[camel] ?? span[`context.${snake}`]
}

const traceIdOf = (span: Json): string => asText(idIn(span, 'trace')) ?? ''

function readSpan(reading: Reading, span: Located, record: Json): TraceSpan {
  const own = 'attributes' in record ? attributesOf(span.member('attributes')) : attributesOf(span, COLUMN)
  const items = span.member('events').items()
  const events = items.map((event): SpanEvent => {
    return { name: asText(event.member('name').value) ?? '', attributes: attributesOf(event.member('attributes')) }
  })
  const holders = [own, ...events.map(({ attributes }) => attributes)]
  for (const { path } of DEFINITIONS.flatMap((name) => attribute(own, name) ?? [])) reading.leaveOut(path)
  const name = asText(record['name'])
  const sent = ['input.value', 'output.value'].map((name) => attribute(own, name)?.value)
  const kind = kindBy(kindOf(own, events, asText(record['span_kind'])), ...sent)
  const dropped = record['droppedAttributesCount'] ?? record['dropped_attributes_count']
  const warning = `${String(dropped)} attributes of this span were dropped before it was exported`
  if (typeof dropped === 'number' && dropped > 0) reading.unread(span.path, warning, kind !== 'other')
  const { path } = span
  const tool = kind === 'tool' ? toolOf(own, events, span, record) : null
  const momentIn = (fields: readonly string[]): number | null =>
    fields.map((field) => momentOf(record[field])).find((at) => at !== null) ?? null
  return {
    ...{ path, kind, name, tool },
    input: () => messagesOfSpan(own, events, 'user'),
    output: () => messagesOfSpan(own, events, 'assistant'),
    id: asText(idIn(record, 'span')),
    parent: asText(record['parentSpanId'] ?? record['parent_span_id'] ?? record['parent_id'] ?? record['parentId']),
    agent:
      attributeText(own, 'gen_ai.agent.name agent.name') ??
      (kind === 'agent' ? (attributeText(own, 'traceloop.entity.name') ?? name) : null),
    model: attributeText(own, 'gen_ai.response.model gen_ai.request.model llm.model_name ai.model.id'),
    ...{ start: momentIn(STARTS), end: momentIn(ENDS) },
    holds:
      tool !== null ||
      events.some(isMessageEvent) ||
      holders.some((holder) => CONTENT.some((name) => attribute(holder, name) !== null)),
  }
}

const DEFINITIONS = ['gen_ai.tool.description', 'gen_ai.tool.definitions', 'gen_ai.request.tools', 'llm.tools'] as const

const CONTENT = [
  ...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.prompt', 'gen_ai.completion', 'llm.input_messages'],
  ...['llm.output_messages', 'llm.prompts', 'llm.choices', 'input.value', 'output.value'],
  ...['ai.prompt', 'ai.prompt.messages', 'ai.response.text', 'ai.response.toolCalls', 'ai.result.text'],
]

const OPERATIONS: Readonly<Record<string, SpanKind>> = {
  ...{ chat: 'model', generate_content: 'model', text_completion: 'model', completion: 'model' },
  ...{ invoke_agent: 'agent', create_agent: 'agent', invoke_workflow: 'agent', execute_tool: 'tool' },
  ...{ LLM: 'model', AGENT: 'agent', TOOL: 'tool', embeddings: 'aside' },
  ...{ RETRIEVER: 'aside', EMBEDDING: 'aside', RERANKER: 'aside', EVALUATOR: 'aside', GUARDRAIL: 'aside' },
  ...AI_SDK,
}

/** Finds the kind of a span by its attributes; by the column `span_kind` of a table where no attribute tells. */
function kindOf(own: Located, events: readonly SpanEvent[], column: string | null): SpanKind {
  const named = attributeText(own, 'openinference.span.kind gen_ai.operation.name traceloop.span.kind ai.operationId')
  const called = named ?? column ?? 'none'
  const isUpper = named === null || attributeText(own, 'traceloop.span.kind') === named
  const operation = ownOf(OPERATIONS, isUpper ? called.toUpperCase() : called)
  const isModel =
    events.some(isMessageEvent) ||
    ['input.messages', 'output.messages', 'prompt.0'].some((name) => attribute(own, `gen_ai.${name}`) !== null)
  return operation ?? (isModel && named === null ? 'model' : 'other')
}

function toolOf(own: Located, events: readonly SpanEvent[], span: Located, record: Json): TracedTool {
  const inEvent = (event: string, name: string): Located | null =>
    attribute(events.find((one) => one.name === event)?.attributes ?? null, name)
  const choice = inEvent('gen_ai.choice', 'message')
  const nothing = new Located(undefined, span.path)
  const status = span.member('status')
  const code = isRecord(status.value) ? (status.value['code'] ?? status.value['status_code']) : record['status_code']
  const isError = code === 2 || (typeof code === 'string' && code.toUpperCase().endsWith('ERROR'))
  const message = isRecord(status.value) ? status.member('message') : span.member('status_message')
  return {
    id: attributeText(own, 'gen_ai.tool.call.id tool_call.id tool.id ai.toolCall.id'),
    name: attribute(own, 'gen_ai.tool.name tool.name traceloop.entity.name ai.toolCall.name') ?? span.member('name'),
    args: attribute(own, ARGUMENTS) ?? inEvent('gen_ai.tool.message', 'content') ?? nothing,
    result:
      attribute(own, 'gen_ai.tool.call.result output.value traceloop.entity.output ai.toolCall.result') ??
      (choice === null ? nothing : opened(choice)),
    error: isError ? message : null,
  }
}

const ARGUMENTS =
  'gen_ai.tool.call.arguments tool_call.function.arguments input.value traceloop.entity.input tool.parameters ai.toolCall.args'

/** Returns a time in milliseconds since 1970: from nanoseconds as text or number, else from any form that `timeOf` reads. */
function momentOf(value: unknown): number | null {
  const isNumeral = typeof value === 'number' || (typeof value === 'string' && DIGITS.test(value))
  const nanoseconds = isNumeral ? Number(value) : 0
  return Number.isFinite(nanoseconds) && nanoseconds > 1e16 ? nanoseconds / 1e6 : timeOf(value)
}

const DIGITS = /^\d{1,30}$/
