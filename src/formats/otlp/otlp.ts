import { cutName, isRecord, type Json, type Reading } from '../common/reading.ts'
import type { Format, OpenedDocument, ReadDocument } from '../format.ts'
import { readTrace } from '../traces/trace-run.ts'
import { isSpan, readSpan, spansIn, traceIdOf } from './otlp-spans.ts'

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
  return { format: 'otlp', agent: { name: cut(name), model: cut(models[0] ?? null) }, steps }
}

const cut = (text: string | null): string | null => (text === null ? null : cutName(text))

/** A file of several traces: a document of its spans for each, in the order in which they first come. */
export function splitOtlp(root: Json): readonly OpenedDocument[] | null {
  if (!OTLP.recognizes(root)) return null
  const groups = Map.groupBy(spansIn(root), ({ held }) => traceIdOf(held) ?? '')
  if (groups.size < 2) return null
  return [...groups].map(([trace, found]) => ({
    name: cutName(trace),
    document: { spans: found.map(({ held }) => held) },
    about: {},
    warnings: [],
  }))
}
