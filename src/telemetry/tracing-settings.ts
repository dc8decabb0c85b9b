import { hostname } from 'node:os'
import { readPairs, readSampler, type SamplerSettings, type Text } from './tracing-values.ts'

export type { SamplerSettings } from './tracing-values.ts'

/** What the standard variables ask for. `headers` and `tls` may be secret. */
export interface TracingSettings {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly compression: 'gzip' | 'none'
  readonly timeout_ms: number
  /** PEM, by what an agent of node:https calls it. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  readonly sampler: SamplerSettings
  readonly resource: Readonly<Record<string, string>>
  /** Whether a `traceparent` that a request brings is believed. */
  readonly takes_parents: boolean
  /** Of spans that wait to be sent. */
  readonly queue: { readonly most: number; readonly batch: number; readonly delay_ms: number }
}

const DEFAULT_ENDPOINT = 'http://localhost:4318'
const TIMEOUT_MS = 10_000
/** The specification’s own. */
const QUEUE = { most: 2048, batch: 512, delay_ms: 5000 } as const

/** Null: no traces. Throws with the name of the variable that cannot be used, and what could be. An empty variable counts as absent. */
export function readTracingSettings(
  env: NodeJS.ProcessEnv,
  service: string,
  readFile: (path: string) => string,
): TracingSettings | null {
  const text: Text = (name) => env[name]?.trim() || undefined
  if (!isAskedFor(text)) return null
  const ofTraces = (name: string) => chosen(text, `OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`)
  refuseOthers(ofTraces('PROTOCOL'), ['http/protobuf'])
  refuseOthers(ofTraces('COMPRESSION'), ['gzip', 'none'])
  const pem = (name: string, as: 'ca' | 'cert' | 'key') => {
    const given = ofTraces(name)
    return given === undefined ? {} : { [as]: readPem(given, readFile) }
  }
  const most = readCount(text, 'OTEL_BSP_MAX_QUEUE_SIZE', QUEUE.most)
  return {
    url: readEndpoint(text),
    headers: {
      ...readPairs(text, 'OTEL_EXPORTER_OTLP_HEADERS'),
      ...readPairs(text, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
    },
    compression: ofTraces('COMPRESSION')?.value === 'gzip' ? 'gzip' : 'none',
    timeout_ms: readCount(text, ofTraces('TIMEOUT')?.name ?? '', TIMEOUT_MS),
    tls: { ...pem('CERTIFICATE', 'ca'), ...pem('CLIENT_CERTIFICATE', 'cert'), ...pem('CLIENT_KEY', 'key') },
    sampler: readSampler(text),
    resource: {
      'service.name': service,
      'service.instance.id': `${hostname()}/${process.pid}`,
      ...readPairs(text, 'OTEL_RESOURCE_ATTRIBUTES'),
      ...named('service.name', text('OTEL_SERVICE_NAME')),
    },
    takes_parents: readPropagators(text),
    queue: {
      most,
      batch: Math.min(most, readCount(text, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', QUEUE.batch)),
      delay_ms: readCount(text, 'OTEL_BSP_SCHEDULE_DELAY', QUEUE.delay_ms),
    },
  }
}

interface Given {
  readonly name: string
  readonly value: string
}

function isAskedFor(text: Text): boolean {
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false
  const exporter = chosen(text, 'OTEL_TRACES_EXPORTER')
  refuseOthers(exporter, ['otlp', 'none'])
  if (exporter !== undefined) return exporter.value === 'otlp'
  return chosen(text, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined
}

/** The first of them that is set. */
function chosen(text: Text, ...names: readonly string[]): Given | undefined {
  for (const name of names) {
    const value = text(name)
    if (value !== undefined) return { name, value }
  }
  return undefined
}

function refuseOthers(given: Given | undefined, choices: readonly string[]): void {
  if (given === undefined || choices.includes(given.value)) return
  throw new Error(`${given.name} must be ${choices.join(' or ')}: this service has nothing else`)
}

function readEndpoint(text: Text): string {
  const own = chosen(text, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const given = own ?? chosen(text, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const value = given?.value ?? DEFAULT_ENDPOINT
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error(`${given?.name} must be the http:// or https:// URL of a collector, such as ${DEFAULT_ENDPOINT}`)
  if (url.username !== '' || url.password !== '')
    throw new Error(`${given?.name} must hold no password: OTEL_EXPORTER_OTLP_HEADERS is for that`)
  // As the specification has it: the endpoint of all signals is a base, that of traces is taken as it is.
  return own === undefined ? `${value.replace(/\/$/, '')}/v1/traces` : url.href
}

function readPem({ name, value }: Given, readFile: (path: string) => string): string {
  try {
    return readFile(value)
  } catch (error) {
    throw new Error(`${name}: the file cannot be read (${(error as { code?: string }).code ?? 'unknown'})`)
  }
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

const named = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value }
