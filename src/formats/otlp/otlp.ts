import { cutName, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asName, asRecord, asText } from '../common/session.ts'
import type { Format, FoundRun, ReadDocument } from '../format.ts'
import { decodeLocated } from '../traces/chat-shapes.ts'
import { Located } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import type { SpanKind, TracedTool, TraceSpan } from '../traces/trace-span.ts'
import { type Attribute, attributesOf } from './attributes.ts'
import { genAiInput, genAiOutput, isMessageEvent, type SpanEvent } from './gen-ai.ts'
import { AI_SDK, aiSdkInput, aiSdkOutput, openInferenceMessages } from './library-spans.ts'

/**
 * Traces of OpenTelemetry with the GenAI semantic conventions, OpenInference or OpenLLMetry: OTLP as JSON (`resourceSpans`; each line of a
 * file of the collector), and lists of spans as Phoenix (`GET /v1/projects/…/spans`, `/otlpv1`, tables as JSON lines) and the SDKs' console
 * exporters write them.
 */
export const OTLP: Format = {
  name: 'otlp',
  recognizes: (document) => isRequest(document) || listOf(document) !== null,
  read: readOtlp,
}

const isRequest = (value: unknown): boolean =>
  isRecord(value) && (Array.isArray(value['resourceSpans']) || Array.isArray(value['resource_spans']))

/** The member that holds requests or spans, and nothing else. */
function listOf(document: Json): string | null {
  const name = ['records', 'data', 'spans', 'batches'].find((one) => Array.isArray(document[one]))
  const list = name === undefined ? [] : (document[name] as readonly unknown[])
  const isOne = (item: unknown): boolean =>
    isRequest(item) || (isRecord(item) && isSpan(item) && traceIdOf(item) !== null)
  return name !== undefined && list.length > 0 && list.every(isOne) ? name : null
}

function readOtlp(reading: Reading, document: Json): ReadDocument {
  const found = spansIn(document)
  const traces = new Set(found.map(({ held }) => traceIdOf(held) ?? ''))
  if (traces.size > 1) reading.error('', `holds ${traces.size} traces: send the one to read by itself`)
  const spans = traces.size > 1 ? [] : found.map((one) => readSpan(reading, one))
  const models = spans.flatMap(({ model }) => model ?? [])
  const agents = new Set(spans.flatMap(({ agent }) => agent ?? []))
  const [agent = null] = agents
  const name = agents.size === 1 ? agent : null
  const steps = traces.size > 1 ? [] : readTrace(reading, spans, '', name)
  if (spans.length > 0 && steps.length === 0)
    reading.error(
      '',
      `none of its ${spans.length} spans holds a message or a call: record what the model was sent and what it answered (off by default in OpenTelemetry)`,
    )
  return { format: 'otlp', agent: { name: asName(name), model: asName(models[0]) }, steps }
}

/** A file of several traces: a document of its spans for each, in the order in which they first come. */
export function splitOtlp(root: Json): readonly FoundRun[] | null {
  if (!OTLP.recognizes(root)) return null
  const groups = Map.groupBy(spansIn(root), ({ held }) => traceIdOf(held) ?? '')
  if (groups.size < 2) return null
  return [...groups].map(([trace, found]) => ({
    name: cutName(trace),
    document: { spans: found.map(({ held }) => held) },
  }))
}

/** Where the spans of a document stand. */
interface FoundSpan {
  readonly span: Located
  readonly held: Json
}

/** The spans of OTLP requests (`resourceSpans`, several in a file of the collector), or of lists of spans. */
function spansIn(document: Json): readonly FoundSpan[] {
  const root = new Located(document, '')
  const lists = [root, ...root.member('records').items(), ...root.member('batches').items()].flatMap(requestSpans)
  const plain = ['records', 'data', 'spans'].flatMap((name) => root.member(name).items())
  return [...lists, ...plain].flatMap((span) =>
    isRecord(span.value) && isSpan(span.value) ? [{ span, held: span.value }] : [],
  )
}

function requestSpans(request: Located): readonly Located[] {
  return ['resourceSpans', 'resource_spans']
    .flatMap((name) => request.member(name).items())
    .flatMap((resource) =>
      ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'].flatMap((name) => resource.member(name).items()),
    )
    .flatMap((scope) => scope.member('spans').items())
}

/** A span has an id, a beginning and attributes, each under one of several names. */
const isSpan = (span: Json): boolean =>
  idIn(span, 'span') !== null && STARTS.some((name) => name in span) && ('attributes' in span || hasDotted(span))

const hasDotted = (span: Json): boolean => Object.keys(span).some((name) => name.startsWith(COLUMN))

/** How tables of spans begin the names of the columns that hold attributes: `attributes.llm.input_messages`. */
const COLUMN = 'attributes.'

const STARTS = ['startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'startTime']

function idIn(span: Json, of: 'span' | 'trace'): string | null {
  const [camel, snake, context] = [`${of}Id`, `${of}_id`, asRecord(span['context'])]
  return asText(span[camel] ?? span[snake] ?? context[snake] ?? context[camel] ?? span[`context.${snake}`])
}

const traceIdOf = (span: Json): string | null => idIn(span, 'trace')

/** One span of any of these exports, as what it tells of the run. */
function readSpan(reading: Reading, { span, held }: FoundSpan): TraceSpan {
  const own = 'attributes' in held ? attributesOf(span.member('attributes')) : attributesOf(span, COLUMN)
  const events = span
    .member('events')
    .items()
    .flatMap((event): SpanEvent[] =>
      isRecord(event.value) && typeof event.value['name'] === 'string'
        ? [{ name: event.value['name'], attributes: attributesOf(event.member('attributes')) }]
        : [],
    )
  const name = asText(held['name'])
  const { kind, called } = kindOf(own, events, held)
  const dropped = held['droppedAttributesCount'] ?? held['dropped_attributes_count']
  if (typeof dropped === 'number' && dropped > 0)
    reading.unread(
      span.path,
      `${dropped} attributes of this span were dropped before it was exported`,
      kind !== 'other',
    )
  const { path } = span
  // Null is an answer: what is there is in no form that is known.
  const orElse = <T>(told: T | undefined, next: () => T): T => (told === undefined ? next() : told)
  const input = () =>
    orElse(
      orElse(genAiInput(own, events, path), () => aiSdkInput(own)),
      () => openInferenceMessages(own, 'user'),
    )
  const output = () =>
    orElse(
      orElse(genAiOutput(own, events, path), () => aiSdkOutput(own)),
      () => openInferenceMessages(own, 'assistant'),
    )
  const tool = kind === 'tool' ? toolOf(own, events, span, held) : null
  return {
    ...{ path, kind, called, name, tool, input, output },
    id: idIn(held, 'span'),
    parent: asText(held['parentSpanId'] ?? held['parent_span_id'] ?? held['parent_id'] ?? held['parentId']),
    agent:
      own.text('gen_ai.agent.name') ??
      own.text('agent.name') ??
      (kind === 'agent' ? (own.text('traceloop.entity.name') ?? name) : null),
    model:
      own.text('gen_ai.response.model') ??
      own.text('gen_ai.request.model') ??
      own.text('llm.model_name') ??
      own.text('ai.model.id'),
    start: STARTS.map((field) => momentOf(held[field])).find((at) => at !== null) ?? null,
    end:
      ['endTimeUnixNano', 'end_time_unix_nano', 'end_time', 'endTime']
        .map((field) => momentOf(held[field]))
        .find((at) => at !== null) ?? null,
    holds: tool !== null || CONTENT.some((one) => own.get(one) !== null) || events.some(holdsMessages),
  }
}

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

function kindOf(own: Attribute, events: readonly SpanEvent[], held: Json): Pick<TraceSpan, 'kind' | 'called'> {
  const told =
    own.text('openinference.span.kind') ??
    own.text('gen_ai.operation.name') ??
    own.text('traceloop.span.kind') ??
    own.text('ai.operationId')
  const called = told ?? asText(held['span_kind']) ?? 'none'
  const upper = own.text('traceloop.span.kind') === called || told === null ? called.toUpperCase() : called
  const known = Object.hasOwn(OPERATIONS, upper) ? OPERATIONS[upper] : undefined
  if (known !== undefined) return { kind: known, called }
  const isModel =
    own.get('gen_ai.input.messages') !== null || own.get('gen_ai.prompt.0') !== null || events.some(isMessageEvent)
  return { kind: isModel && told === null ? 'model' : 'other', called }
}

function toolOf(own: Attribute, events: readonly SpanEvent[], span: Located, held: Json): TracedTool {
  const inEvent = (event: string, name: string): Located | null =>
    events.find((one) => one.name === event)?.attributes.value(name) ?? null
  const nothing = new Located(undefined, span.path)
  const said = inEvent('gen_ai.choice', 'message')
  const brought = said === null ? null : (decodeLocated(said) ?? said)
  const first = (...names: readonly string[]): Located | null =>
    names.map((name) => own.value(name)).find((value) => value !== null) ?? null
  const status = span.member('status')
  const code = isRecord(status.value) ? (status.value['code'] ?? status.value['status_code']) : held['status_code']
  const isError = code === 2 || (typeof code === 'string' && code.toUpperCase().endsWith('ERROR'))
  const message = isRecord(status.value) ? status.member('message') : span.member('status_message')
  return {
    id:
      own.text('gen_ai.tool.call.id') ?? own.text('tool_call.id') ?? own.text('tool.id') ?? own.text('ai.toolCall.id'),
    name: first('gen_ai.tool.name', 'tool.name', 'traceloop.entity.name', 'ai.toolCall.name') ?? span.member('name'),
    args:
      first(
        'gen_ai.tool.call.arguments',
        'tool_call.function.arguments',
        'input.value',
        'traceloop.entity.input',
        'tool.parameters',
        'ai.toolCall.args',
      ) ??
      inEvent('gen_ai.tool.message', 'content') ??
      nothing,
    result:
      first('gen_ai.tool.call.result', 'output.value', 'traceloop.entity.output', 'ai.toolCall.result') ??
      brought ??
      nothing,
    error: isError ? message : null,
  }
}

/** Nanoseconds as text or as a number, else any other time. */
function momentOf(value: unknown): number | null {
  const nanoseconds =
    typeof value === 'string' && DIGITS.test(value) ? Number(value) : typeof value === 'number' ? value : Number.NaN
  if (Number.isFinite(nanoseconds) && nanoseconds > 1e16) return nanoseconds / 1e6
  return timeOf(value)
}

const DIGITS = /^\d{1,30}$/
