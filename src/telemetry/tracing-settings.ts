import { hostname } from 'node:os'
import { readPairs, readSampler, type SamplerSettings, type Text } from './tracing-values.ts'

/** What the standard variables ask for. Those of the exporter, OTEL_EXPORTER_OTLP_…, it reads itself. */
export interface TracingSettings {
  readonly sampler: SamplerSettings
  readonly resource: Readonly<Record<string, string>>
  /** Whether a `traceparent` that a request brings is believed. */
  readonly takes_parents: boolean
  /** Of spans that wait to be sent. */
  readonly queue: { readonly most: number; readonly batch: number; readonly delay_ms: number }
}

/** The specification’s own. */
const QUEUE = { most: 2048, batch: 512, delay_ms: 5000 } as const

/** Null: no traces. Throws with the name of the variable that cannot be used, and what could be. An empty variable counts as absent. */
export function readTracingSettings(env: NodeJS.ProcessEnv, service: string): TracingSettings | null {
  const text: Text = (name) => env[name]?.trim() || undefined
  if (!isAskedFor(text)) return null
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    refuseOthers(text, name, ['http/protobuf'])
  for (const name of ENDPOINTS) assertEndpoint(text, name)
  const most = readCount(text, 'OTEL_BSP_MAX_QUEUE_SIZE', QUEUE.most)
  const name = text('OTEL_SERVICE_NAME')
  return {
    sampler: readSampler(text),
    resource: {
      'service.name': service,
      'service.instance.id': `${hostname()}/${process.pid}`,
      ...readPairs(text, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...(name !== undefined && { 'service.name': name }),
    },
    takes_parents: readPropagators(text),
    queue: {
      most,
      batch: Math.min(most, readCount(text, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', QUEUE.batch)),
      delay_ms: readCount(text, 'OTEL_BSP_SCHEDULE_DELAY', QUEUE.delay_ms),
    },
  }
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

function isAskedFor(text: Text): boolean {
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false
  refuseOthers(text, 'OTEL_TRACES_EXPORTER', ['otlp', 'none'])
  const exporter = text('OTEL_TRACES_EXPORTER')
  return exporter === undefined ? ENDPOINTS.some((name) => text(name) !== undefined) : exporter === 'otlp'
}

function refuseOthers(text: Text, name: string, choices: readonly string[]): void {
  const value = text(name)
  if (value !== undefined && !choices.includes(value))
    throw new Error(`${name} must be ${choices.join(' or ')}: this service has nothing else`)
}

/** The exporter would take `collector:4318` for a URL, and fail at every sending. */
function assertEndpoint(text: Text, name: string): void {
  const value = text(name)
  if (value === undefined) return
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error(`${name} must be the http:// or https:// URL of a collector, such as http://localhost:4318`)
  if (url.username !== '' || url.password !== '')
    throw new Error(`${name} must hold no password: OTEL_EXPORTER_OTLP_HEADERS is for that`)
}

function readCount(text: Text, name: string, otherwise: number): number {
  const value = text(name)
  if (value === undefined) return otherwise
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error(`${name} must be a whole number above 0`)
  return Number(value)
}

function readPropagators(text: Text): boolean {
  const names = text('OTEL_PROPAGATORS')
    ?.split(',')
    .map((name) => name.trim()) ?? ['tracecontext']
  for (const name of names) {
    if (name !== 'tracecontext' && name !== 'baggage' && name !== 'none')
      throw new Error('OTEL_PROPAGATORS must be of tracecontext, baggage (which is ignored) and none')
  }
  return names.includes('tracecontext')
}
