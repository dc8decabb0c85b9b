import { wordSet } from '../../domain/words.ts'
import { cutName, isAbsent, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asText } from '../common/session.ts'
import { type FileRun, type Format, groupRows, type ReadDocument } from '../format.ts'
import { decodeLocated, messagesIn, plainMessagesIn } from '../traces/chat-shapes.ts'
import { Located, type Tree } from '../traces/located.ts'
import { readTrace } from '../traces/trace-run.ts'
import { kindBy, type SpanKind, type TraceSpan } from '../traces/trace-span.ts'

/** Langfuse’s traces with observations, or observations alone (langfuse/langfuse, fern/apis/server/definition/commons.yml), in either case. */
export const LANGFUSE: Format = {
  name: 'langfuse',
  recognizes: (document) => observationsOf(document) !== null,
  read: readLangfuse,
  split: splitLangfuse,
  holdsSubagents: true,
}

const KINDS: Readonly<Record<string, SpanKind>> = {
  ...{ GENERATION: 'model', TOOL: 'tool', AGENT: 'agent' },
  ...{ RETRIEVER: 'aside', EMBEDDING: 'aside', EVALUATOR: 'aside', GUARDRAIL: 'aside' },
}
const TYPES: ReadonlySet<unknown> = wordSet(`GENERATION TOOL AGENT SPAN EVENT CHAIN RETRIEVER EVALUATOR EMBEDDING
  GUARDRAIL`)

const isObservation = (value: unknown): value is Json =>
  isRecord(value) &&
  TYPES.has(value['type']) &&
  ('startTime' in value || 'start_time' in value) &&
  ('traceId' in value || 'trace_id' in value)

/** Returns the observations of one trace, and the trace itself where the document has it. */
function observationsOf(document: Json): { readonly list: Located; readonly trace: Located | null } | null {
  const root = new Located(document, '')
  const name = ['observations', 'records', 'data'].find((member) => Array.isArray(document[member]))
  if (name === undefined || !(document[name] as readonly unknown[]).some(isObservation)) return null
  const trace = isRecord(document['trace']) ? root.member('trace') : name === 'observations' ? root : null
  return { list: root.member(name), trace }
}

function readLangfuse(reading: Reading, document: Json): ReadDocument {
  const source = observationsOf(document)
  const observations = (source?.list.items() ?? []).filter(({ value, path }) => {
    if (!isObservation(value)) reading.odd(path, 'an observation', value)
    return isObservation(value)
  })
  const trace = source?.trace ?? null
  // The trace lists the observations once more, without their content.
  const ids = new Set(observations.map((one) => one.member('id').value))
  for (const copy of trace?.path === '' ? [] : (trace?.member('observations').items() ?? []))
    if (ids.has(copy.member('id').value)) reading.leaveOut(copy.path)
  const spans = [...(trace === null ? [] : [traceSpan(trace)]), ...observations.map(spanOf)]
  return readTrace(reading, spans, { format: 'langfuse', path: source?.list.path ?? '' }, { name: null })
}

const ROOT = 'the trace'

const traceSpan = (trace: Located): TraceSpan => ({
  ...spanOf(trace),
  ...{ id: null, parent: null, kind: 'agent', agent: null, model: null, tool: null },
  ...{ start: timeOf(trace.member('timestamp').value), end: Number.POSITIVE_INFINITY },
})

function spanOf(observation: Located): TraceSpan {
  const type = asText(observation.member('type').value) ?? ''
  const [input, output, name] = [observation.member('input'), observation.member('output'), observation.member('name')]
  const kind = kindBy(KINDS[type] ?? 'other', input.value, output.value)
  const error = observation.member('level').value === 'ERROR' ? observation.field('statusMessage') : null
  const isTool = kind === 'tool' || type === 'SPAN'
  return {
    ...{ path: observation.path, kind, name: asText(name.value) },
    id: asText(observation.member('id').value),
    parent: asText(observation.field('parentObservationId').value) ?? ROOT,
    agent: kind === 'agent' ? asText(name.value) : null,
    model: asText(observation.field('model').value) ?? asText(observation.field('providedModelName').value),
    start: timeOf(observation.field('startTime').value),
    end: timeOf(observation.field('endTime').value),
    holds: !isAbsent(input.value) || !isAbsent(output.value),
    input: () => messagesIn(input, 'user'),
    output: () => answerIn(output, input),
    ...{ sent: input, answered: output },
    tool: isTool ? { id: null, name, args: input, result: output, error } : null,
  }
}

/** Reads the answer: JSON only where the request is JSON messages in a string; else text that resembles JSON is the model's own. */
function answerIn(output: Located, input: Located): readonly Tree[] | null {
  const decoded = decodeLocated(input)
  const isJson = decoded !== null && messagesIn(decoded, 'user') !== null
  return (isJson ? messagesIn : plainMessagesIn)(output, 'assistant')
}

function splitLangfuse(root: Json): readonly FileRun[] | null {
  const list = root['records'] ?? root['data'] ?? root['observations']
  if (!Array.isArray(list) || list.length < 2) return null
  const traces = list.filter(
    (trace): trace is Json => isRecord(trace) && Array.isArray(trace['observations']) && observationsOf(trace) !== null,
  )
  if (traces.length === list.length)
    return traces.map((trace, index) => ({
      name: cutName(asText(trace['id']) ?? String(index + 1)),
      document: { ...trace },
    }))
  const traceOf = (row: Json): string => asText(row['traceId'] ?? row['trace_id']) ?? ''
  if (!list.some(isObservation)) return null
  const groups = groupRows(list, isObservation, traceOf)
  return groups.length < 2 ? null : groups.map(([id, data]) => ({ name: cutName(id), document: { records: data } }))
}
